"""LogDevice's log as pure steps: epoch store, sequencer, storage node, recovery, reader and client.

Source: LogDevice, Read path and Recovery; where they leave a choice open, what LogDevice's code does.
"""
