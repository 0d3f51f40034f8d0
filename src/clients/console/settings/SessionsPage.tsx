import { useState } from "preact/hooks"
import type { Schemas } from "../../client/SheafClient.ts"
import { longDate } from "../Dates.ts"
import { Button } from "../ui/Button.tsx"
import { DataTable } from "../ui/tables/DataTable.tsx"
import { notify } from "../ui/Notices.tsx"
import { Question } from "../ui/Question.tsx"
import { Section } from "../ui/Section.tsx"
import { usePages } from "../ui/tables/usePages.ts"
import type { WorkspaceStore } from "../workspace/WorkspaceStore.ts"
import { actionColumn } from "../ui/tables/TableColumns.ts"
import { words } from "../ui/AdministrationMessages.ts"
import { texts } from "./SettingsMessages.ts"
import type { SettingsProps } from "./SettingsProps.ts"

type Session = Schemas["Session"]
type Device = Schemas["Device"]

/** What the server stores about a device that states neither. */
const unknown = { name: "Unnamed device", platform: "unknown" }

const nameOf = ({ name, platform }: { readonly name: string; readonly platform: string }): string => {
  const shown = name === unknown.name ? texts.sessions.unnamed : name
  return platform === "" || platform === unknown.platform ? shown : `${shown} (${platform})`
}

const signInOf = ({ second_factor, signed_in_by }: Session): string =>
  [texts.sessions.ways[signed_in_by], ...(second_factor === null ? [] : [texts.sessions.factors[second_factor]])].join(
    " + "
  )

const Sessions = ({ store: { client } }: { readonly store: WorkspaceStore }) => {
  const list = usePages((page) => client.listSessions({ ...page, sort: ["-last_used_at"] }), [client])
  const [ending, setEnding] = useState<Session | "others">()
  const end = async () => {
    if (ending === "others") notify(words.sessionsEnded((await client.revokeOtherSessions()).revoked))
    else if (ending !== undefined) {
      await client.deleteSession({ id: ending.id })
      notify(words.sessionsEnded(1))
    }
    await list.reload()
  }
  return (
    <Section title={words.sessions} lead={texts.sessions.lead}>
      <DataTable
        label={words.sessions}
        empty={texts.sessions.none}
        list={list}
        keyOf={({ id }) => id}
        columns={[
          {
            label: texts.sessions.device,
            of: ({ current, device }) => (
              <>
                {nameOf(device)} {current && <span class="badge">{texts.sessions.current}</span>}
              </>
            )
          },
          { label: words.address, of: ({ ip }) => ip ?? texts.unknown },
          { label: texts.sessions.by, of: signInOf },
          { label: words.lastUsed, of: ({ last_active_at }) => longDate(last_active_at) },
          { label: texts.sessions.since, of: ({ created_at }) => longDate(created_at) },
          actionColumn((session: Session) =>
            session.current ? null : (
              <Button label={texts.sessions.endOf(nameOf(session.device))} onClick={() => setEnding(session)}>
                {texts.sessions.end}
              </Button>
            )
          )
        ]}
      />
      <p class="actions start">
        <Button onClick={() => setEnding("others")}>{texts.sessions.endOthers}</Button>
      </p>
      {ending !== undefined && (
        <Question
          title={ending === "others" ? texts.sessions.endOthersTitle : texts.sessions.endOf(nameOf(ending.device))}
          lead={
            ending === "others" ? texts.sessions.endOthersConfirm : texts.sessions.endConfirm(nameOf(ending.device))
          }
          action={ending === "others" ? texts.sessions.endOthersTitle : texts.sessions.endButton}
          onConfirm={end}
          onClose={() => setEnding(undefined)}
        />
      )}
    </Section>
  )
}

const Devices = ({ store: { client } }: { readonly store: WorkspaceStore }) => {
  const list = usePages((page) => client.listDevices(page), [client])
  const [removed, setRemoved] = useState<Device>()
  return (
    <Section title={texts.sessions.devices} lead={texts.sessions.devicesLead}>
      <DataTable
        label={texts.sessions.devices}
        empty={texts.sessions.noDevices}
        list={list}
        keyOf={({ id }) => id}
        columns={[
          {
            label: texts.sessions.device,
            of: (device) => (
              <>
                {nameOf(device)} {device.current && <span class="badge">{texts.sessions.current}</span>}
              </>
            )
          },
          { label: texts.sessions.synced, of: ({ last_sync_at }) => longDate(last_sync_at) },
          actionColumn((device: Device) =>
            device.current ? null : (
              <Button label={texts.sessions.removeOf(nameOf(device))} onClick={() => setRemoved(device)}>
                {texts.remove}
              </Button>
            )
          )
        ]}
      />
      {removed !== undefined && (
        <Question
          title={texts.sessions.removeOf(nameOf(removed))}
          lead={texts.sessions.removeConfirm(nameOf(removed))}
          action={texts.sessions.removeOf(nameOf(removed))}
          onConfirm={async () => {
            await client.deleteDevice({ id: removed.id })
            await list.reload()
          }}
          onClose={() => setRemoved(undefined)}
        />
      )}
    </Section>
  )
}

/** Where the user is signed in, and what syncs. */
export const SessionsPage = ({ store }: SettingsProps) => (
  <>
    <Sessions store={store} />
    <Devices store={store} />
  </>
)
