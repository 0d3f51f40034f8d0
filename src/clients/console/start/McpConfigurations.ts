/** How a program with an assistant is configured (docs/mcp.md). */
interface McpConfiguration {
  /** The name of the program. */
  readonly name: string
  /** The file with the configuration. */
  readonly file: string
  /** Where the program has the key: in an environment variable, in the file, or it asks for the key. */
  readonly keyPlace: "variable" | "content" | "question"
  /** Returns the content of the file. `key` is the API key, if there is one. */
  readonly content: (url: string, key?: string) => string
}

const json = (content: object): string => JSON.stringify(content, null, 2)

export const mcpConfigurations: ReadonlyArray<McpConfiguration> = [
  {
    name: "Claude Code",
    file: ".mcp.json",
    keyPlace: "variable",
    content: (url) =>
      json({ mcpServers: { sheaf: { type: "http", url, headers: { Authorization: "Bearer ${SHEAF_KEY}" } } } })
  },
  {
    name: "Claude",
    file: "claude_desktop_config.json",
    keyPlace: "content",
    content: (url, key = "sfk_…") =>
      json({
        mcpServers: {
          sheaf: {
            command: "npx",
            args: ["-y", "mcp-remote", url, "--header", "Authorization:${SHEAF_AUTH}"],
            env: { SHEAF_AUTH: `Bearer ${key}` }
          }
        }
      })
  },
  {
    name: "Cursor",
    file: ".cursor/mcp.json",
    keyPlace: "variable",
    content: (url) => json({ mcpServers: { sheaf: { url, headers: { Authorization: "Bearer ${env:SHEAF_KEY}" } } } })
  },
  {
    name: "VS Code",
    file: ".vscode/mcp.json",
    keyPlace: "question",
    content: (url) =>
      json({
        inputs: [{ id: "sheaf-key", type: "promptString", description: "API key of Sheaf", password: true }],
        servers: { sheaf: { type: "http", url, headers: { Authorization: "Bearer ${input:sheaf-key}" } } }
      })
  },
  {
    name: "Codex",
    file: "~/.codex/config.toml",
    keyPlace: "variable",
    content: (url) => `[mcp_servers.sheaf]\nurl = "${url}"\nbearer_token_env_var = "SHEAF_KEY"`
  }
]
