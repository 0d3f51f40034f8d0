import { parseAddress, parseNetwork } from "../limits/Network.ts"

/**
 * The operator's exemptions from the rules of outgoing requests (contract 1, WEBHOOK_ALLOW): networks, and hosts. A
 * host is a name or an address. `*.` before it means all hosts below it; a port after it means only that port.
 */
export interface AllowList {
  /** Whether requests may go to it without TLS, and to any address of its name. */
  readonly hasHost: (url: URL) => boolean
  readonly hasAddress: (address: string) => boolean
  /** Whether names may lead to allowed addresses. */
  readonly hasNetworks: boolean
}

const hostPattern = /^(\*\.)?(\[[0-9a-f:.]+\]|[\w-]+(?:\.[\w-]+)*)(?::(\d{1,5}))?$/i

export const isAllowed = (entry: string): boolean =>
  parseNetwork(entry) !== undefined || (hostPattern.test(entry) && URL.canParse(`https://${entry.replace("*.", "")}`))

const portOf = ({ port, protocol }: URL): string => port || (protocol === "https:" ? "443" : "80")

/** The host of a URL, without the brackets of an IPv6 address. */
export const hostOf = ({ hostname }: URL): string => hostname.replace(/^\[(.*)\]$/, "$1")

/** `isAllowed` must be true for each of the `entries`. */
export const allowList = (entries: ReadonlyArray<string>): AllowList => {
  const networks = entries.flatMap((entry) => parseNetwork(entry) ?? [])
  const hosts = entries.flatMap((entry) => {
    const [, wildcard, name, port] = parseNetwork(entry) === undefined ? (hostPattern.exec(entry) ?? []) : []
    if (name === undefined) return []
    // In the form that URLs have.
    return { isParent: wildcard !== undefined, name: new URL(`https://${name}`).hostname, port }
  })
  const hasAddress = (text: string): boolean => {
    const address = parseAddress(text)
    return address !== undefined && networks.some((has) => has(address))
  }
  return {
    hasHost: (url) =>
      hasAddress(hostOf(url)) ||
      hosts.some(
        ({ isParent, name, port }) =>
          (isParent ? url.hostname.endsWith(`.${name}`) : url.hostname === name) &&
          (port === undefined || port === portOf(url))
      ),
    hasAddress,
    hasNetworks: networks.length > 0
  }
}
