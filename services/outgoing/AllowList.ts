import { parseAddress, parseNetwork } from "../limits/Network.ts"

/**
 * What an operator exempts from the rules of outgoing requests (contract 1, WEBHOOK_ALLOW): hosts, each as a name or an
 * address, with `*.` before it for all below it and with a port behind it where only that is meant; and networks.
 */
export interface AllowList {
  /** It may be asked for without TLS, wherever its name leads. */
  readonly hasHost: (url: URL) => boolean
  readonly hasAddress: (address: string) => boolean
  /** Names may lead to addresses that are allowed. */
  readonly hasNetworks: boolean
}

const hostPattern = /^(\*\.)?(\[[0-9a-f:.]+\]|[\w-]+(?:\.[\w-]+)*)(?::(\d{1,5}))?$/i

export const isAllowed = (entry: string): boolean =>
  parseNetwork(entry) !== undefined || (hostPattern.test(entry) && URL.canParse(`https://${entry.replace("*.", "")}`))

const portOf = ({ port, protocol }: URL): string => port || (protocol === "https:" ? "443" : "80")

/** The host of a URL, without the brackets of an IPv6 address. */
export const hostOf = ({ hostname }: URL): string => hostname.replace(/^\[(.*)\]$/, "$1")

/** `entries`: such that `isAllowed` says so of each. */
export const allowList = (entries: ReadonlyArray<string>): AllowList => {
  const networks = entries.flatMap((entry) => parseNetwork(entry) ?? [])
  const hosts = entries.flatMap((entry) => {
    const [, wildcard, name, port] = parseNetwork(entry) === undefined ? (hostPattern.exec(entry) ?? []) : []
    if (name === undefined) return []
    // As the host of a URL is written.
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
