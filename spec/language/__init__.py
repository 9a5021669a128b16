"""The rule language: terms, typed handles, views, rules, and what they mean."""
