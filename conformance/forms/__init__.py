"""Forms in which verdicts are handed on: to a browser, to continuous integration, to a document."""
