"""What is signed and how: pure functions that know nothing of worlds or requests.

Layer 2: `field`, `curve`, `poseidon` and `eddsa` (with `blake512`) sign and verify numbers; `messages` (with `fields`
and `nft`) say which number a request's body is; `request_signature` says which number a whole call is.
Layer 1: `secp256k1` signs and recovers; `owner` (with `eip712`) says what the owner of an account signs; `keys` derives
layer-2 keys from such a signature. `wire_forms` reads and writes signatures as text, `hashes` has the chain's hash.
Wrong signatures: `diagnosis` finds the likely cause by trying what clients are known to mistake.

Sources are named as "signing notes, N": the facts that were gathered about real clients, checked by published vectors.
Nothing is imported here, so that a relayer that does not verify signatures loads none of it.
"""
