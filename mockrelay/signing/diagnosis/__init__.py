"""Why a signature is wrong: what clients are known to sign in place of what is meant, tried until one fits."""
