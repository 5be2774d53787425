"""The formats of a report: text, JSON, JUnit and SARIF, whatever characters clients have sent."""
