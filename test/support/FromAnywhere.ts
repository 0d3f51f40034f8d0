let asked = 0

/**
 * Returns the header of a request from a client address that no other request used, for an App that trusts this machine
 * as a proxy. Failed attempts are throttled per address, and a test may make many of them.
 */
export const fromAnywhere = (): Record<string, string> => {
  asked++
  return { "x-forwarded-for": `10.${asked >> 16}.${(asked >> 8) & 255}.${asked & 255}` }
}
