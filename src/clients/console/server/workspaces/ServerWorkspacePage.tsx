import { locale } from "../../ChosenLanguage.ts"
import { longDate } from "../../Dates.ts"
import { sizeOf } from "../../imports/sizeOf.ts"
import { pageAddress } from "../../Navigation.ts"
import { Button } from "../../ui/Button.tsx"
import { Failure } from "../../ui/Failure.tsx"
import { notify } from "../../ui/Notices.tsx"
import { Section } from "../../ui/Section.tsx"
import { useAction } from "../../ui/useAction.ts"
import { useReading } from "../../ui/useReading.ts"
import { Facts } from "../Facts.tsx"
import { words } from "../../ui/AdministrationMessages.ts"
import { texts } from "../ServerMessages.ts"
import type { ServerProps } from "../ServerProps.ts"
import { PlanForm } from "./PlanForm.tsx"
import { WorkspaceDeletion } from "./WorkspaceDeletion.tsx"
import { WorkspaceState } from "./WorkspaceState.tsx"

interface ServerWorkspacePageProps extends Pick<ServerProps, "admin"> {
  readonly id: string
}

/** A workspace of the server, with what operators do. */
export const ServerWorkspacePage = ({ admin, id }: ServerWorkspacePageProps) => {
  const { failure: unread, reload, value: workspace } = useReading(() => admin.adminGetWorkspace({ id }), [admin, id])
  const { failure, run } = useAction()
  const reindex = async () => {
    await admin.adminReindexWorkspace({ id })
    notify(texts.workspaces.reindexed)
  }
  return (
    <>
      <p>
        <a href={pageAddress("server", "workspaces")}>{texts.workspaces.list}</a>
      </p>
      <Failure failure={unread} messages={texts.workspaces.problems} />
      {workspace !== undefined && (
        <>
          <Section title={workspace.name}>
            <Facts
              facts={[
                [texts.workspaces.slug, workspace.slug],
                [words.state, <WorkspaceState workspace={workspace} />],
                [words.members, workspace.members],
                [words.notes, workspace.notes.toLocaleString(locale)],
                [words.files, sizeOf(workspace.storage_bytes)],
                [texts.workspaces.textBytes, sizeOf(workspace.text_bytes)],
                [words.kept, sizeOf(workspace.kept_bytes)],
                [words.created, longDate(workspace.created_at)],
                ...(workspace.deleted_at === null
                  ? []
                  : [[texts.workspaces.deletedAt, longDate(workspace.deleted_at)] as const])
              ]}
            />
          </Section>
          {workspace.deleted_at === null && (
            <>
              <PlanForm
                key={`${workspace.plan} ${workspace.seats}`}
                admin={admin}
                workspace={workspace}
                onSaved={reload}
              />
              <Section title={texts.workspaces.search} lead={texts.workspaces.searchLead}>
                <Failure failure={failure} />
                <p class="actions start">
                  <Button onClick={() => void run(reindex)}>{texts.workspaces.reindex}</Button>
                </p>
              </Section>
            </>
          )}
          <WorkspaceDeletion admin={admin} workspace={workspace} onChanged={reload} />
        </>
      )}
    </>
  )
}
