import { useState } from "preact/hooks"
import type { Schemas } from "../../client/SheafClient.ts"
import { Button } from "../ui/Button.tsx"
import { Dialog } from "../ui/Dialog.tsx"
import { Failure } from "../ui/Failure.tsx"
import { Check } from "../ui/Field.tsx"
import { Form } from "../ui/Form.tsx"
import { withPassword } from "../ui/PasswordRequest.tsx"
import { Select } from "../ui/Select.tsx"
import { useAction } from "../ui/useAction.ts"
import type { WorkspaceStore } from "../workspace/WorkspaceStore.ts"
import { words } from "../ui/AdministrationMessages.ts"
import { type Reach, ReachChoice } from "./Reach.tsx"
import { texts } from "./SettingsMessages.ts"

export type Requested = Schemas["AppRequested"]

interface ConsentDialogProps {
  readonly store: WorkspaceStore
  /** The query with which the app has sent the browser here. */
  readonly request: string
  readonly requested: Requested
  /** Called when the user has decided. */
  readonly onDecided: () => void
}

/** Asks whether an app gets access, to which workspace, and to do what. The browser then goes back to the app. */
export const ConsentDialog = ({ onDecided, request, requested, store }: ConsentDialogProps) => {
  const { client_id, is_local, known_by, name, redirect_host, refuse_url, scopes: all } = requested
  const [chosen, setChosen] = useState(all)
  const [place, setPlace] = useState(store.account.workspace)
  const [reach, setReach] = useState<Reach>(null)
  const { failure, run } = useAction()
  const leave = (url: string) => {
    // A program with a scheme of its own opens next to this page, which stays open.
    onDecided()
    location.assign(url)
  }
  const allow = async () => {
    const { redirect_url } = await withPassword((password) =>
      store.client.connectApp({ request, scopes: [...chosen], workspace_id: place, notebooks: reach, ...password })
    )
    leave(redirect_url)
  }
  const refuse = () => leave(refuse_url)
  const said = texts.apps
  return (
    <Dialog title={said.ask(name)} onClose={refuse}>
      <Form onSubmit={() => run(allow)}>
        <p>{said.account(store.account.email)}</p>
        <p>{known_by === "document" ? said.knownByDocument(new URL(client_id).host) : said.knownBy[known_by]}</p>
        <p class={is_local || known_by === "registration" ? "banner" : ""}>
          {is_local ? said.local(redirect_host) : said.goesTo(redirect_host)}
        </p>
        <Failure failure={failure} />
        <Select
          label={words.workspace}
          value={place}
          options={store.workspaces.value.map(({ id, name }) => [id, name] as const)}
          onValue={(workspace) => {
            setPlace(workspace)
            // Another workspace has other notebooks. The choice never becomes wider by itself.
            setReach(reach && [])
          }}
        />
        <fieldset class="checks">
          <legend>{said.may}</legend>
          {all.map((scope) => (
            <Check
              key={scope}
              isChecked={chosen.includes(scope)}
              onCheck={(isChecked) =>
                setChosen(all.filter((each) => (each === scope ? isChecked : chosen.includes(each))))
              }
            >
              {texts.keys.scopeNames[scope]}
            </Check>
          ))}
        </fieldset>
        {chosen.length === 0 && <p class="error">{texts.keys.noScope}</p>}
        <ReachChoice
          store={store}
          workspace={place}
          reach={reach}
          mayWrite={chosen.includes("notes:write")}
          onReach={setReach}
        />
        {chosen.includes("notes:write") && <p class="hint">{said.shares}</p>}
        <p class="hint">{said.never}</p>
        <footer class="actions">
          <Button onClick={refuse}>{said.refuse}</Button>
          <Button kind="main" type="submit" isDisabled={chosen.length === 0 || reach?.length === 0}>
            {said.allow}
          </Button>
        </footer>
      </Form>
    </Dialog>
  )
}
