/**
 * How much room deflate takes for a text of so many bytes that is packed at once: no more than it can use. By itself it takes
 * 270 KB and hands out 16 KB at a time, which the garbage collector then counts for each small text.
 */
export const roomFor = (
  bytes: number
): { readonly windowBits: number; readonly memLevel: number; readonly chunkSize: number } => {
  // A window reaches over the whole text.
  const windowBits = Math.min(15, Math.max(9, 32 - Math.clz32(bytes)))
  return { windowBits, memLevel: windowBits - 7, chunkSize: Math.min(64 * 1024, Math.max(512, bytes)) }
}
