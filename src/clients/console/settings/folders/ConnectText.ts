/** The address of a server with a key in it, as `sheaf sync --connect` takes it: `/v2` is the path without one. */
export const connectText = (apiUrl: string, key: string): string => {
  const { host, pathname, protocol } = new URL(apiUrl)
  return `${protocol}//${encodeURIComponent(key)}@${host}${pathname === "/v2" ? "" : pathname}`
}

/** A path as a shell takes it. Only a `~` at its beginning keeps its meaning. */
const quoted = (path: string): string => {
  const [, home = "", rest = ""] = /^(~\/)?(.*)$/s.exec(path.startsWith("-") ? `./${path}` : path)!
  return home + (/^[\w./-]+$/.test(rest) ? rest : `'${rest.replaceAll("'", String.raw`'\''`)}'`)
}

/** The command that connects a folder. */
export const connectCommand = (folder: string, connect: string): string =>
  `sheaf sync ${quoted(folder)} --connect '${connect}'`
