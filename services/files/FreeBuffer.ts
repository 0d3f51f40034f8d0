/**
 * Frees the memory of bytes that no code uses any more: the garbage collector would let 64 MB of them pile up first.
 * Does nothing for bytes that are a part of a larger buffer.
 */
export const freeBuffer = (bytes: Uint8Array): void => {
  const { buffer, byteLength } = bytes
  if (buffer instanceof ArrayBuffer && byteLength === buffer.byteLength) buffer.transfer(0)
}
