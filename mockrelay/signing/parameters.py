"""Numbers that define the curves, apart from the curves' arithmetic, which takes long to import and most worlds never need."""

SNARK_FIELD = 21888242871839275222246405745257275088548364400416034343698204186575808495617
"""The prime (the scalar field of the pairing curve BN254, 254 bits). An element is an integer from 0 to one less; every part
of a layer-2 signature or key is one."""
LAYER2_ORDER = 2736030358979909402780800718157159386076813972158567259200215660948447373041
"""The order of the subgroup of layer-2 keys: a private key is above 0 and below it."""
LAYER1_ORDER = 0xFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFEBAAEDCE6AF48A03BBFD25E8CD0364141
"""The order of secp256k1: a layer-1 private key is above 0 and below it."""
LAYER2_BASE = (
    16540640123574156134436876038791482806971768689494387082833631921987005038935,
    20819045374670962167435360035096875258406992893633759881276124905556507972311,
)
"""The point (x, y) whose multiples are the layer-2 public keys; not the one that circuit libraries for this curve call Base8."""
