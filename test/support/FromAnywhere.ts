let asked = 0

/**
 * The header of a request from an address that none came from before, for an App that trusts this machine as a proxy:
 * what is wrong is limited by address, and a test may have much that is.
 */
export const fromAnywhere = (): Record<string, string> => {
  asked++
  return { "x-forwarded-for": `10.${asked >> 16}.${(asked >> 8) & 255}.${asked & 255}` }
}
