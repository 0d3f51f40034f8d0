/**
 * Gives the memory of bytes back that nobody reads any more: left to the collector, 64 MB of them pile up first. Bytes that
 * are a part of something larger stay.
 */
export const giveBack = (bytes: Uint8Array): void => {
  const { buffer, byteLength } = bytes
  if (buffer instanceof ArrayBuffer && byteLength === buffer.byteLength) buffer.transfer(0)
}
