/** The quantile of values at a share. */
export const quantile = (values: ReadonlyArray<number>, share: number): number =>
  values.toSorted((a, b) => a - b)[Math.min(values.length - 1, Math.floor(values.length * share))]!

export const milliseconds = (values: ReadonlyArray<number>): string =>
  `${quantile(values, 0.5).toFixed(2)} / ${quantile(values, 0.95).toFixed(2)} ms`

export const timed = (work: () => void): number => {
  const begun = performance.now()
  work()
  return performance.now() - begun
}

export const megabytes = (bytes: number): string => `${(bytes / 1e6).toFixed(0)} MB`

/** Bytes of live objects and array buffers after a full collection. */
export const memory = (): number => {
  globalThis.gc?.()
  globalThis.gc?.()
  const { arrayBuffers, heapUsed } = process.memoryUsage()
  return heapUsed + arrayBuffers
}
