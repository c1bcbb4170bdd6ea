"""What does a Blowfish key do? It encrypts, and it makes four 8 x 32 S-boxes, which a weak key fills with collisions.

usage: blowfish_key.py
"""

import fugu

KEY = bytes.fromhex("0123456789abcdeffedcba9876543210")


def main() -> None:
    # A message of any number of pieces, in CTR mode.
    cipher = fugu.Blowfish(KEY, "ctr", bytes(8))
    ciphertext = cipher.update(b"attack ") + cipher.update(b"at dawn") + cipher.finish()
    print(f"CTR: {ciphertext.hex()}")

    # Vaudenay, FSE 1996: a key is weak if one of its boxes has a collision, which one in 2^17 boxes has.
    for number, box in enumerate(fugu.blowfish_sboxes(KEY), 1):
        print(f"S{number}: {box.collisions} collisions, uniformity {box.differential_uniformity}, "
              f"coordinates' nonlinearity {min(box.coordinate_nonlinearities)} to {max(box.coordinate_nonlinearities)}")

    # For your own data: authenticated, under a passphrase.
    sealed = fugu.seal(b"attack at dawn", passphrase="correct horse battery staple")
    print(f"sealed: {len(sealed)} bytes, {fugu.recognise(sealed)[0]}")
    try:
        fugu.open(sealed, passphrase="incorrect horse")
    except fugu.WrongKeyError as error:
        print(f"another passphrase: {error}")
    print(fugu.open(sealed, passphrase="correct horse battery staple").decode())


if __name__ == "__main__":
    main()
