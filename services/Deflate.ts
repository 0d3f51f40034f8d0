/**
 * Options that limit the memory of deflate to what a text of `bytes` bytes, compressed in one call, can use. By default
 * deflate allocates 270 KB and 16 KB per chunk, which the garbage collector then counts for each small text.
 */
export const roomFor = (
  bytes: number
): { readonly windowBits: number; readonly memLevel: number; readonly chunkSize: number } => {
  // The window covers the whole text.
  const windowBits = Math.min(15, Math.max(9, 32 - Math.clz32(bytes)))
  return { windowBits, memLevel: windowBits - 7, chunkSize: Math.min(64 * 1024, Math.max(512, bytes)) }
}
