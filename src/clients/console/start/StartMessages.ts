import { translated } from "../ChosenLanguage.ts"
/** The texts of the start page, which are loaded with it. */
export const texts = translated("start", {
  navigation: "Steps",
  account: "Account",
  steps: {
    import: {
      title: "Bring your notes",
      name: "Notes",
      lead: "Import a vault or an export of another app, now or later in the account menu."
    },
    connect: {
      title: "Connect a client",
      name: "Clients (optional)",
      lead: "Assistants and apps reach your notes with the address of this server and a key. This page is also in the account menu."
    }
  },
  isDone: "done",
  write: "Write your first note",
  connect: "Connect a client (optional)",
  toNotes: "Go to the notes",

  key: {
    title: "API key",
    lead: "A key works in this workspace until you revoke it in the settings.",
    nameHint: "Such as the name of the app",
    initialName: "Assistant",
    rights: "Access",
    rightsNames: { read: "Read only", write: "Read and write" },
    secret: (name: string) => `Key “${name}”`,
    secretHint: "It is not shown again."
  },
  assistant: {
    title: "Assistant",
    lead: "An assistant with MCP reads notes, and changes parts of them. No tool deletes a note for good.",
    address: "Address of the MCP server",
    addressHint:
      "Type it where your assistant adds a connector or an MCP server. It opens this console, where you allow it.",
    withKey: "Assistants that need a key",
    client: "Configuration for",
    configuration: (file: string) => `Content of ${file}`,
    keys: {
      variable: "The assistant reads the key from the environment variable SHEAF_KEY.",
      content: "The key is in the file. Do not share it.",
      question: "The program asks for the key, and keeps it."
    }
  },
  app: {
    title: "App",
    lead: "An app that synchronises notes asks for this address. Scan the code to open it on a phone.",
    address: "Address for apps",
    code: (address: string) => `QR code of the address ${address}`,
    onlyHere:
      "Only this device can use this address. For others, give the server an address that they reach, by HOST and PUBLIC_URL, and open the console there."
  },
  copy: (what: string) => `Copy: ${what}`
})
