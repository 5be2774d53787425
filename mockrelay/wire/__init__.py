"""The form: bytes to calls, replies to bytes, and the schemas that both are held to."""
