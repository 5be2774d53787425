"""The three moduli of signatures, apart from the curves, since some code only checks whether a number is below one."""

SNARK_FIELD = 21888242871839275222246405745257275088548364400416034343698204186575808495617
"""The prime (the scalar field of the pairing curve BN254, 254 bits). An element is an integer from 0 to one less; every part
of a layer-2 signature or key is one."""
LAYER2_ORDER = 2736030358979909402780800718157159386076813972158567259200215660948447373041
"""The order of the subgroup of layer-2 keys: a private key is above 0 and below it."""
LAYER1_ORDER = 0xFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFEBAAEDCE6AF48A03BBFD25E8CD0364141
"""The order of secp256k1: a layer-1 private key is above 0 and below it."""
