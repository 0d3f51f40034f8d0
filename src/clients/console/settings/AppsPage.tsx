import { useEffect, useState } from "preact/hooks"
import type { Schemas } from "../../client/SheafClient.ts"
import { longDate } from "../Dates.ts"
import { mcpUrl } from "../PageData.ts"
import { CopiedText } from "../start/CopiedText.tsx"
import { Button } from "../ui/Button.tsx"
import { Failure } from "../ui/Failure.tsx"
import { Question } from "../ui/Question.tsx"
import { Section } from "../ui/Section.tsx"
import { DataTable } from "../ui/tables/DataTable.tsx"
import { usePages } from "../ui/tables/usePages.ts"
import { useAction } from "../ui/useAction.ts"
import { ConsentDialog, type Requested } from "./ConsentDialog.tsx"
import { actionColumn } from "../ui/tables/TableColumns.ts"
import { words } from "../ui/AdministrationMessages.ts"
import { reachedBy } from "./Reach.tsx"
import { texts } from "./SettingsMessages.ts"
import type { SettingsProps } from "./SettingsProps.ts"

type App = Schemas["ConnectedApp"]

/** The apps that the user has connected. An app that asks for access has sent the browser here, with its request. */
export const AppsPage = ({ store }: SettingsProps) => {
  const { client } = store
  const list = usePages((page) => client.listConnectedApps(page), [client])
  const [ending, setEnding] = useState<App>()
  const [asked, setAsked] = useState<{ readonly request: string; readonly requested: Requested }>()
  const { failure, run } = useAction()
  useEffect(() => {
    const request = location.search.slice(1)
    if (!new URLSearchParams(request).has("client_id")) return
    void run(async () => setAsked({ request, requested: await client.describeApp({ request }) }))
  }, [client])
  const decided = () => {
    // Loaded again, the page does not ask again.
    history.replaceState(history.state, "", location.pathname)
    setAsked(undefined)
    void list.reload()
  }
  return (
    <>
      <Failure failure={failure} messages={texts.apps.problems} />
      <Section title={texts.pages.apps} lead={texts.apps.lead}>
        <DataTable
          label={texts.pages.apps}
          empty={texts.apps.none}
          list={list}
          keyOf={({ id }) => id}
          columns={[
            { label: texts.apps.name, of: ({ name }) => name },
            { label: words.workspace, of: ({ workspace }) => workspace.name ?? texts.apps.left },
            {
              label: texts.apps.may,
              of: ({ scopes }) => scopes.map((scope) => texts.keys.scopeNames[scope]).join(", ")
            },
            {
              label: texts.reach.title,
              of: ({ notebooks, scopes, workspace }) =>
                workspace.name !== null && reachedBy(store, notebooks, scopes, workspace.id)
            },
            { label: words.lastUsed, of: ({ last_active_at }) => longDate(last_active_at) },
            { label: words.created, of: ({ created_at }) => longDate(created_at) },
            actionColumn((app: App) => (
              <Button label={texts.apps.endOf(app.name)} onClick={() => setEnding(app)}>
                {texts.apps.end}
              </Button>
            ))
          ]}
        />
      </Section>
      <Section title={texts.apps.connect} lead={texts.apps.connectLead}>
        <div class="form">
          <CopiedText label={words.address} value={mcpUrl} />
        </div>
      </Section>
      {asked !== undefined && <ConsentDialog store={store} {...asked} onDecided={decided} />}
      {ending !== undefined && (
        <Question
          title={texts.apps.endOf(ending.name)}
          lead={texts.apps.endConfirm}
          action={texts.apps.endButton}
          onConfirm={async () => {
            await client.deleteConnectedApp({ id: ending.id })
            await list.reload()
          }}
          onClose={() => setEnding(undefined)}
        />
      )}
    </>
  )
}
