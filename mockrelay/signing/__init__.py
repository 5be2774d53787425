"""What is signed and how: pure functions, independent of the rest of the package.

Layer 2: `field`, `curve`, `poseidon` and `eddsa` (with `blake512`) sign and verify numbers; `messages` (with `fields`
and `nft`) hashes a request's body to a number; `request_signature` hashes a whole call.
Layer 1: `secp256k1` signs and recovers; `owner` (with `eip712`) hashes what the owner of an account signs; `keys` derives
layer-2 keys from such a signature. `wire_forms` reads and writes signatures as text, `hashes` has Keccak-256.
Wrong signatures: `diagnosis` finds the likely cause by trying the common mistakes of clients.

The spec leaves the signing open. The formats are those of published clients of this protocol, checked by their published
test vectors; standards (EIP, RFC) are named where they apply. Nothing is imported in this file, so that a relayer that
does not verify signatures loads none of it.
"""
