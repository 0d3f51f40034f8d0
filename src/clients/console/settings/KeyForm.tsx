import { useRef, useState } from "preact/hooks"
import type { Schemas } from "../../client/SheafClient.ts"
import { RequestKey } from "../drafts/RequestKey.ts"
import { Submit } from "../ui/Submit.tsx"
import { Check, Field } from "../ui/Field.tsx"
import { errorsOf } from "../ui/errorsOf.ts"
import { Failure } from "../ui/Failure.tsx"
import { Form } from "../ui/Form.tsx"
import { NameField } from "../ui/NameField.tsx"
import { withPassword } from "../ui/PasswordRequest.tsx"
import { Section } from "../ui/Section.tsx"
import { useAction } from "../ui/useAction.ts"
import type { WorkspaceStore } from "../workspace/WorkspaceStore.ts"
import { words } from "../ui/AdministrationMessages.ts"
import { type Reach, ReachChoice } from "./Reach.tsx"
import { texts } from "./SettingsMessages.ts"

type Scope = keyof typeof texts.keys.scopeNames

const scopes = Object.keys(texts.keys.scopeNames) as ReadonlyArray<Scope>

/** The scopes that have an effect for a key of some notebooks. */
const isLimited = /^(notes|files|export):/

interface KeyFormProps {
  readonly store: WorkspaceStore
  readonly onMade: (key: Schemas["ApiKeyWithSecret"]) => Promise<void>
}

/** Makes an API key. */
export const KeyForm = ({ onMade, store }: KeyFormProps) => {
  const [name, setName] = useState("")
  const [chosen, setChosen] = useState<ReadonlyArray<Scope>>(["notes:read"])
  const [reach, setReach] = useState<Reach>(null)
  const [expires, setExpires] = useState("")
  const { failure, run } = useAction()
  const requestKey = useRef(new RequestKey()).current
  const errors = errorsOf(failure)
  const offered = reach === null ? scopes : scopes.filter((scope) => isLimited.test(scope))
  const own = chosen.filter((scope) => offered.includes(scope))
  const make = async () => {
    const made = await withPassword((password) => {
      const end = expires === "" ? {} : { expires_at: new Date(expires).toISOString() }
      const input = { name, scopes: own, notebooks: reach, ...end, ...password }
      return store.client.createApiKey(input, { idempotencyKey: requestKey.of(input) })
    })
    requestKey.succeeded()
    setName("")
    await onMade(made)
  }
  return (
    <Section title={texts.keys.create}>
      <Form class="form" onSubmit={() => run(make)}>
        <Failure failure={failure} fields={["name", "expires_at"]} />
        <NameField
          label={words.name}
          hint={texts.keys.nameHint}
          failure={failure}
          required
          value={name}
          onValue={setName}
        />
        <fieldset class="checks">
          <legend>{texts.keys.scopes}</legend>
          {offered.map((scope) => (
            <Check
              key={scope}
              isChecked={chosen.includes(scope)}
              onCheck={(isChecked) =>
                setChosen(scopes.filter((each) => (each === scope ? isChecked : chosen.includes(each))))
              }
            >
              {texts.keys.scopeNames[scope]}
            </Check>
          ))}
        </fieldset>
        {own.length === 0 && <p class="error">{texts.keys.noScope}</p>}
        <ReachChoice
          store={store}
          workspace={store.account.workspace}
          reach={reach}
          mayWrite={own.includes("notes:write")}
          onReach={setReach}
        />
        <Field
          label={texts.keys.expires}
          error={errors["expires_at"]}
          type="datetime-local"
          value={expires}
          onValue={setExpires}
        />
        <Submit label={words.makeKey} isDisabled={own.length === 0 || reach?.length === 0} />
      </Form>
    </Section>
  )
}
