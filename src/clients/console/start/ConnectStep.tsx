import { useState } from "preact/hooks"
import type { Schemas } from "../../client/SheafClient.ts"
import { pageAddress } from "../Navigation.ts"
import { apiUrl, mcpUrl } from "../PageData.ts"
import { folderTexts } from "../settings/folders/FolderMessages.ts"
import { Section } from "../ui/Section.tsx"
import { Select } from "../ui/Select.tsx"
import type { WorkspaceStore } from "../workspace/WorkspaceStore.ts"
import { ClientKey } from "./ClientKey.tsx"
import { CopiedText } from "./CopiedText.tsx"
import { mcpConfigurations } from "./McpConfigurations.ts"
import { QrCode } from "./QrCode.tsx"
import { texts } from "./StartMessages.ts"

/** Whether only this device reaches the server by the address of the page. */
const isOnlyHere = /^(localhost|127\.[\d.]+|\[::1\])$/.test(location.hostname)

/** The settings for assistants and apps: the addresses of the server, and a key for programs that need one. */
export const ConnectStep = ({ store }: { readonly store: WorkspaceStore }) => {
  const [made, setMade] = useState<Schemas["ApiKeyWithSecret"]>()
  const [name, setName] = useState(mcpConfigurations[0]!.name)
  const { content, file, keyPlace } = mcpConfigurations.find((each) => each.name === name)!
  return (
    <>
      <Section title={texts.assistant.title} lead={texts.assistant.lead}>
        <div class="form">
          <CopiedText label={texts.assistant.address} value={mcpUrl} hint={texts.assistant.addressHint} />
        </div>
      </Section>
      <ClientKey store={store} made={made} onMade={setMade} />
      <Section title={texts.assistant.withKey}>
        <div class="form">
          <Select
            label={texts.assistant.client}
            value={name}
            options={mcpConfigurations.map((each) => [each.name, each.name])}
            onValue={setName}
          />
          <CopiedText
            label={texts.assistant.configuration(file)}
            value={content(mcpUrl, made?.secret)}
            hint={texts.assistant.keys[keyPlace]}
          />
        </div>
      </Section>
      <Section title="sheaf sync" lead={folderTexts.lead}>
        <p>
          <a href={pageAddress("settings", "folder")}>{folderTexts.connect}</a>
        </p>
      </Section>
      <Section title={texts.app.title} lead={texts.app.lead}>
        <div class="form">
          {isOnlyHere && <p class="banner">{texts.app.onlyHere}</p>}
          <CopiedText label={texts.app.address} value={apiUrl} />
          <QrCode text={apiUrl} label={texts.app.code(apiUrl)} />
        </div>
      </Section>
    </>
  )
}
