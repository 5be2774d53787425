"""Why a signature is wrong: the common mistakes of clients are tried until the signature is valid for one."""
