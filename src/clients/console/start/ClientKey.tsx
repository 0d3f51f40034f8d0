import { useRef, useState } from "preact/hooks"
import type { Schemas } from "../../client/SheafClient.ts"
import { RequestKey } from "../drafts/RequestKey.ts"
import { Submit } from "../ui/Submit.tsx"
import { Failure } from "../ui/Failure.tsx"
import { Form } from "../ui/Form.tsx"
import { NameField } from "../ui/NameField.tsx"
import { withPassword } from "../ui/PasswordRequest.tsx"
import { Secret } from "../ui/Secret.tsx"
import { Section } from "../ui/Section.tsx"
import { Select } from "../ui/Select.tsx"
import { useAction } from "../ui/useAction.ts"
import type { WorkspaceStore } from "../workspace/WorkspaceStore.ts"
import { words } from "../ui/AdministrationMessages.ts"
import { texts } from "./StartMessages.ts"

type Key = Schemas["ApiKeyWithSecret"]

/** The scopes of a key, by what its client may do. */
const scopes = {
  read: ["notes:read", "files:read", "profile"],
  write: ["notes:write", "files:write", "profile"]
} as const
type Rights = keyof typeof scopes

interface ClientKeyProps {
  readonly store: WorkspaceStore
  /** The key that was made, while it is shown. */
  readonly made: Key | undefined
  readonly onMade: (key: Key | undefined) => void
}

/** Makes an API key for a client, and shows it once. */
export const ClientKey = ({ made, onMade, store }: ClientKeyProps) => {
  const [name, setName] = useState(texts.key.initialName)
  const [rights, setRights] = useState<Rights>("read")
  const { failure, run } = useAction()
  const requestKey = useRef(new RequestKey()).current
  const make = async () => {
    const key = await withPassword((password) => {
      const input = { name, scopes: [...scopes[rights]], ...password }
      return store.client.createApiKey(input, { idempotencyKey: requestKey.of(input) })
    })
    requestKey.succeeded()
    onMade(key)
  }
  return (
    <Section title={texts.key.title} lead={texts.key.lead}>
      {made === undefined ? (
        <Form class="form" onSubmit={() => run(make)}>
          <Failure failure={failure} fields={["name"]} />
          <NameField
            label={words.name}
            hint={texts.key.nameHint}
            failure={failure}
            required
            value={name}
            onValue={setName}
          />
          <Select
            label={texts.key.rights}
            value={rights}
            options={[
              ["read", texts.key.rightsNames.read],
              ["write", texts.key.rightsNames.write]
            ]}
            onValue={setRights}
          />
          <Submit label={words.makeKey} />
        </Form>
      ) : (
        <Secret
          label={texts.key.secret(made.name)}
          hint={texts.key.secretHint}
          value={made.secret}
          onDone={() => onMade(undefined)}
        />
      )}
    </Section>
  )
}
