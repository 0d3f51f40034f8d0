import type { ComponentChildren } from "preact"
import { useEffect, useState } from "preact/hooks"
import type { Schemas } from "../../client/SheafClient.ts"
import { Failure } from "../ui/Failure.tsx"
import { Select } from "../ui/Select.tsx"
import { useAction } from "../ui/useAction.ts"
import type { WorkspaceStore } from "../workspace/WorkspaceStore.ts"
import { NotebookBoxes } from "./NotebookBoxes.tsx"
import { texts } from "./SettingsMessages.ts"

type Notebook = Schemas["Notebook"]
type Grant = Schemas["NotebookGrant"]

/** The notebooks that a key or an app reaches; null for the whole workspace. */
export type Reach = Schemas["ApiKey"]["notebooks"]

const { scopeNames } = texts.keys
const { offline } = texts.workspace

/** Reads the notebooks of a workspace of the user, if it is not the open one; undefined while they are read. */
const useNotebooks = (store: WorkspaceStore, workspace: string) => {
  const [others, setOthers] = useState<{ readonly of: string; readonly notebooks: ReadonlyArray<Notebook> }>()
  const { failure, run } = useAction()
  const isOpen = workspace === store.account.workspace
  useEffect(() => {
    if (isOpen) return
    let isShown = true
    void run(async () => {
      const notebooks: Array<Notebook> = []
      for await (const each of store.client.listNotebooks({ limit: 100 }, { workspace })) notebooks.push(each)
      if (isShown) setOthers({ of: workspace, notebooks })
    })
    return () => void (isShown = false)
  }, [workspace])
  return {
    failure,
    notebooks: isOpen ? store.notebooks.value : others?.of === workspace ? others.notebooks : undefined
  }
}

interface ReachedProps {
  readonly store: WorkspaceStore
  readonly workspace: string
  readonly reach: ReadonlyArray<Grant>
  /** Whether the key or the app may write at all. */
  readonly mayWrite: boolean
}

/** The names of the notebooks that a key or an app reaches. */
const Reached = ({ mayWrite, reach, store, workspace }: ReachedProps) => {
  const { notebooks } = useNotebooks(store, workspace)
  if (notebooks === undefined) return null
  const names = new Map(notebooks.map(({ id, name }) => [id, name]))
  const textOf = ({ access, id }: Grant) => {
    const name = names.get(id) ?? texts.transfers.gone
    return mayWrite ? `${name} (${scopeNames[`notes:${access}`]})` : name
  }
  return <>{reach.map(textOf).join(", ")}</>
}

/** What a key or an app with some scopes reaches, as a cell of a table. */
export const reachedBy = (
  store: WorkspaceStore,
  reach: Reach,
  scopes: ReadonlyArray<string>,
  workspace = store.account.workspace
): ComponentChildren =>
  reach === null ? (
    texts.transfers.scopes.workspace
  ) : (
    <Reached store={store} workspace={workspace} reach={reach} mayWrite={scopes.includes("notes:write")} />
  )

interface ReachChoiceProps extends Pick<ReachedProps, "mayWrite" | "store" | "workspace"> {
  readonly reach: Reach
  readonly onReach: (reach: Reach) => void
}

/** Chooses whether a key or an app reaches the whole workspace, or some notebooks. */
export const ReachChoice = ({ mayWrite, onReach, reach, store, workspace }: ReachChoiceProps) => {
  const said = texts.reach
  const { failure, notebooks } = useNotebooks(store, workspace)
  const grantOf = (id: string): Grant =>
    reach?.find((each) => each.id === id) ?? { id, access: mayWrite ? "write" : "read", include_subnotebooks: true }
  const option = (label: string, isChecked: boolean, wanted: Reach) => (
    <label class="check">
      <input type="radio" name="reach" checked={isChecked} onChange={() => onReach(wanted)} />
      <span>{label}</span>
    </label>
  )
  return (
    <fieldset class="checks single">
      <legend>{said.title}</legend>
      {option(texts.transfers.scopes.workspace, reach === null, null)}
      {option(offline.chosen, reach !== null, [])}
      <Failure failure={failure} />
      {reach !== null && notebooks !== undefined && (
        <>
          <NotebookBoxes
            label={offline.chosen}
            isLabelHidden
            notebooks={notebooks}
            chosen={reach.map(({ id }) => id)}
            onChoose={(chosen) => onReach(chosen.map(grantOf))}
            beside={({ id, name }) =>
              mayWrite && (
                <Select
                  label={`${name}: ${texts.keys.scopes}`}
                  isLabelHidden
                  value={grantOf(id).access}
                  options={[
                    ["read", scopeNames["notes:read"]],
                    ["write", scopeNames["notes:write"]]
                  ]}
                  onValue={(access) => onReach(reach.map((each) => (each.id === id ? { ...each, access } : each)))}
                />
              )
            }
          />
          <p class="hint">{said.limited}</p>
          {reach.length === 0 && <p class="error">{texts.keys.noScope}</p>}
        </>
      )}
    </fieldset>
  )
}
