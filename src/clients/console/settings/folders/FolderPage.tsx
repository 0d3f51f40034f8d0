import "../../SharedParts.ts"
import { useRef, useState } from "preact/hooks"
import type { Schemas } from "../../../client/SheafClient.ts"
import { RequestKey } from "../../drafts/RequestKey.ts"
import { pageAddress } from "../../Navigation.ts"
import { apiUrl } from "../../PageData.ts"
import { CopiedText } from "../../start/CopiedText.tsx"
import { QrCode } from "../../start/QrCode.tsx"
import { words } from "../../ui/AdministrationMessages.ts"
import { Failure } from "../../ui/Failure.tsx"
import { Form } from "../../ui/Form.tsx"
import { NameField } from "../../ui/NameField.tsx"
import { withPassword } from "../../ui/PasswordRequest.tsx"
import { Secret } from "../../ui/Secret.tsx"
import { Section } from "../../ui/Section.tsx"
import { Submit } from "../../ui/Submit.tsx"
import { useAction } from "../../ui/useAction.ts"
import { type Reach, ReachChoice } from "../Reach.tsx"
import { texts } from "../SettingsMessages.ts"
import type { SettingsProps } from "../SettingsProps.ts"
import { connectCommand, connectText } from "./ConnectText.ts"
import { folderTexts } from "./FolderMessages.ts"

/** What `sheaf sync` reads and writes, files of notes too. */
const scopes = ["notes:read", "notes:write"] as const

/** Makes the key of a folder, and shows once how `sheaf sync` connects the folder with it. */
export const FolderPage = ({ store }: SettingsProps) => {
  const [name, setName] = useState(texts.pages.folder)
  const [reach, setReach] = useState<Reach>(null)
  const [made, setMade] = useState<Schemas["ApiKeyWithSecret"]>()
  const { failure, run } = useAction()
  const requestKey = useRef(new RequestKey()).current
  const make = async () => {
    const key = await withPassword((password) => {
      const input = { name, scopes: [...scopes], notebooks: reach, ...password }
      return store.client.createApiKey(input, { idempotencyKey: requestKey.of(input) })
    })
    requestKey.succeeded()
    setMade(key)
  }
  if (made !== undefined) {
    const [label, connect] = [texts.keys.secret(made.name), connectText(apiUrl, made.secret)]
    return (
      <>
        <Secret label={label} hint={texts.keys.secretHint} value={connect} onDone={() => setMade(undefined)} />
        <Section title={folderTexts.connect}>
          <div class="form">
            <CopiedText label="sheaf sync" value={connectCommand(name, connect)} />
            <QrCode text={connect} label={label} />
          </div>
        </Section>
      </>
    )
  }
  return (
    <Section title={folderTexts.connect} lead={folderTexts.lead}>
      <p>
        <a href={pageAddress("settings", "keys")}>{texts.pages.keys}</a>
      </p>
      <Form class="form" onSubmit={() => run(make)}>
        <Failure failure={failure} fields={["name"]} />
        <NameField
          label={texts.pages.folder}
          hint={folderTexts.nameHint}
          failure={failure}
          required
          value={name}
          onValue={setName}
        />
        <ReachChoice store={store} workspace={store.account.workspace} reach={reach} mayWrite onReach={setReach} />
        <Submit label={words.makeKey} isDisabled={reach?.length === 0} />
      </Form>
    </Section>
  )
}
