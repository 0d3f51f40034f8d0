/** Where the system has huge pages for memory of a program that asks for them (Linux: x86-64, and arm64 of 4 KB pages). */
const hugePage = 2 * 1024 * 1024
/** What glibc writes before a block that it has from the system, and what it rounds. */
const around = 64

/**
 * Memory for so many bytes or some more, which is not cleared. New memory costs far more than to write it: small pages come
 * one by one. A block of glibc's that is a whole number of huge pages begins with one (Linux 6.7), and comes 2 MB at a time:
 * what is large gets such a block, unless a quarter of it, or more, would be for nothing.
 */
export const largeBytes = (atLeast: number): Buffer<ArrayBuffer> => {
  const whole = Math.ceil((atLeast + around) / hugePage) * hugePage - around
  return Buffer.allocUnsafeSlow(whole * 0.75 <= atLeast ? whole : atLeast)
}
