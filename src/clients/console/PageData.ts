/** A provider by which users sign in. */
export interface Provider {
  readonly number: number
  readonly name: string
  readonly issuer: string
}

/** Data about the server, in its page. */
interface PageData {
  /** The path of the console, such as `/console`. */
  readonly base: string
  /** The path of the API, such as `/v2`. */
  readonly api: string
  /** Who may create an account: everyone, or people with an invitation. */
  readonly signUp: "open" | "invite"
  /** The providers by which users sign in. */
  readonly providers: ReadonlyArray<Provider>
  /** Whether passwords sign in. */
  readonly passwords: boolean
  /** Whether the server has passkeys. They need a host name, and HTTPS. */
  readonly passkeys: boolean
  /** The nonce of the Content-Security-Policy, for the styles of the editor. */
  readonly nonce: string
  /** The path of the style of rendered notes, which is that of shared pages. */
  readonly noteStyle: string
  /** The path of the editor's module. */
  readonly editorAsset: string
}

const text = document.querySelector<HTMLMetaElement>('meta[name="sheaf"]')?.content ?? "{}"

export const {
  api = "/v2",
  base = "/console",
  editorAsset = "/console/editor.js",
  nonce = "",
  noteStyle = "/console/note.css",
  passkeys = false,
  passwords = true,
  providers = [],
  signUp = "invite"
} = JSON.parse(text) as Partial<PageData>

/** Whether passkeys can be used in this browser. */
export const hasPasskeys = passkeys && "PublicKeyCredential" in globalThis

/** The address of the API. */
export const apiUrl = location.origin + api

/** The address of the MCP server, which is next to the API. */
export const mcpUrl = new URL("mcp", apiUrl).href

/** The path of a page of the console. */
export const pathTo = (path: string): string => base + path

/** The address at which a user signs in by a provider: next to the console. */
export const signInUrl = ({ number }: Provider): string =>
  new URL(`../sign-in/${number}`, `${location.origin}${base}`).href
