// Written from the API description by `npm run client`. Do not edit.
export interface components {
  schemas: {
    Accepted: {
      /**
       * @description Always true.
       * @constant
       */
      accepted: true
    }
    ActivityActor: {
      /**
       * @description A signed-in user, an API key of the user, or the server. Changes that an earlier version of Sheaf recorded have `user` for API keys too.
       * @enum {string}
       */
      kind: "user" | "api_key" | "server"
      /** @description The user who caused it; null if the server did. */
      user_id: string | null
      /** @description The name of the user. Null if the user is not a member of the workspace any more, or the caller may not read members. */
      name: string | null
      /** @description The API key, if it exists and the caller may read it. */
      api_key: components["schemas"]["ActivityApiKey"] | null
    }
    ActivityApiKey: {
      /** @description The id of the API key. */
      id: string
      /** @description The name of the API key. */
      name: string
    }
    ActivityConflict: {
      /**
       * @description Why the pushed change was not written.
       * @enum {string}
       */
      reason: "stale_revision" | "deleted_on_server" | "already_exists" | "unknown_revision"
      /** @description The version on the server, which was kept. */
      version: number | null
      /** @description The version that the client edited. */
      client_version: number
      /** @description The `mutation_id` of the pushed entry. */
      mutation_id: string | null
    }
    ActivityDevice: {
      /** @description The device's id. */
      id: string
      /** @description The name of the device; null if it does not sync with the workspace any more. */
      name: string | null
    }
    ActivityVia: {
      /**
       * @description A request of the API, a push of sync, an import, or a tool of the MCP server.
       * @enum {string}
       */
      by: "api" | "sync" | "import" | "mcp"
      /** @description The `mutation_id` of the pushed entry. */
      mutation_id: string | null
      /** @description The note whose conflict the pushed entry settles: the note itself if it is a merge, another note if the entry created the conflict copy of that note. */
      conflict_of: string | null
      /** @description The import. */
      import_id: string | null
      /** @description The MCP tool. */
      tool: string | null
    }
    ApiKey: {
      /** @description The record's id. */
      id: string
      /** @description A label. */
      name: string
      /** @description The first characters of the secret, to recognize it. */
      prefix: string
      /** @description The scopes of the key. */
      scopes: components["schemas"]["Scope"][]
      /** @description When it was last used successfully; null if never. */
      last_used_at: string | null
      /** @description When it expires; null if never. */
      expires_at: string | null
      /** @description Until when the previous secret is also valid, else null. */
      previous_secret_expires_at: string | null
      /**
       * Format: date-time
       * @description When it was created.
       */
      created_at: string
    }
    ApiKeyCreate: {
      /** @description A label. */
      name: string
      /** @description The scopes of the key. Default: all scopes that the caller may grant. */
      scopes?: components["schemas"]["Scope"][]
      /** @description When it expires; null if never. */
      expires_at?: string | null
      /** @description The password of the signed-in user. Required if the last sign-in, or the last request with it, was more than 15 minutes ago; not used for API keys. */
      current_password?: string
    }
    ApiKeyPage: {
      /** @description The resources of this page. */
      data: components["schemas"]["ApiKey"][]
      /** @description Whether there is another page. */
      has_more: boolean
      /** @description The `cursor` of the next page, else null. */
      next_cursor: string | null
    }
    ApiKeyRotate: {
      /** @description Accepted and not used: a rotation changes the secret only. */
      name?: string
      /** @description The password of the signed-in user. Required if the last sign-in, or the last request with it, was more than 15 minutes ago; not used for API keys. */
      current_password?: string
    }
    ApiKeyWithSecret: {
      /** @description The record's id. */
      id: string
      /** @description A label. */
      name: string
      /** @description The first characters of the secret, to recognize it. */
      prefix: string
      /** @description The scopes of the key. */
      scopes: components["schemas"]["Scope"][]
      /** @description When it was last used successfully; null if never. */
      last_used_at: string | null
      /** @description When it expires; null if never. */
      expires_at: string | null
      /** @description Until when the previous secret is also valid, else null. */
      previous_secret_expires_at: string | null
      /**
       * Format: date-time
       * @description When it was created.
       */
      created_at: string
      /** @description The secret. It is shown in this response only. */
      secret: string
    }
    AppliedTemplate: {
      /** @description The record's id. */
      id: string
      /** @description The notebook that contains the note. */
      notebook_id: string
      /** @description Plain text, at most 200 characters. */
      title: string
      /** @description Markdown, at most 1 048 576 bytes in UTF-8. */
      body: string
      /** @description Names of tags, at most 50. */
      tags: string[]
      /** @description Pinned notes come first in lists. */
      pinned: boolean
      /** @description Archived notes are hidden from default lists. */
      archived: boolean
      /** @description The number of the version; each change increases it by one. */
      version: number
      /** @description Words in the body, counted by the server. */
      word_count: number
      /**
       * Format: date-time
       * @description When it was created.
       */
      created_at: string
      /**
       * Format: date-time
       * @description When it was last changed.
       */
      updated_at: string
      /**
       * Format: date-time
       * @description When it was moved to the trash. Only notes in the trash have this member.
       */
      deleted_at?: string
      /** @description Placeholders of the body without a value, as they are written. They stay verbatim in the body. */
      unresolved_variables: string[]
    }
    Attachment: {
      /** @description The record's id. */
      id: string
      /** @description The note that the file belongs to. */
      note_id: string
      /** @description The name of the file, at most 255 characters. */
      filename: string
      /** @description The media type. Default: derived from the file name. */
      content_type: string
      /** @description Size in bytes; null until it is known. */
      size: number | null
      /** @description SHA-256 of the content, in hexadecimal; null until it is known. */
      sha256: string | null
      /**
       * @description `pending` until its bytes have arrived, then `ready`.
       * @enum {string}
       */
      status: "pending" | "ready" | "failed"
      /**
       * Format: date-time
       * @description When it was created.
       */
      created_at: string
      /** @description The signed address of its bytes, valid for at most 15 minutes; it needs no Authorization. Null until the attachment is ready. */
      url: string | null
      /** @description The address to send its bytes to, once. Null if the server has them already. */
      upload_url?: string | null
      /**
       * @description How to send them: unchanged, as the body of a PUT.
       * @constant
       */
      upload_method?: "PUT"
      /** @description Headers to send with the bytes. */
      upload_headers?: {
        [key: string]: string
      }
      /** @description When `upload_url` expires. */
      upload_expires_at?: string | null
    }
    AttachmentChange: components["schemas"]["AttachmentUpsert"] | components["schemas"]["AttachmentDelete"]
    AttachmentConflict: {
      /**
       * @description The type of the record. (enum property replaced by openapi-typescript)
       * @enum {string}
       */
      type: "attachment"
      /** @description The record's id. */
      id: string
      /**
       * @description Why the change was not written.
       * @enum {string}
       */
      reason: "stale_revision" | "deleted_on_server" | "already_exists" | "unknown_revision"
      /** @description The client's id for this change, 1 to 255 visible ASCII characters. */
      mutation_id: string | null
      /** @description The revision on the server. */
      revision: number | null
      /** @description The revision that the client edited. */
      client_revision: number
      /** @description The record on the server. */
      server: components["schemas"]["AttachmentChange"] | null
      /** @description The entry that was pushed. */
      client: components["schemas"]["PushAttachment"]
      /** @description The record at `client_revision`, if it is still known. */
      base: {
        /** @description Its revision. */
        revision: number
        /** @description The whole record. */
        data: components["schemas"]["SyncedAttachment"]
      } | null
    }
    AttachmentCreate: {
      /** @description The note that the file belongs to. */
      note_id: string
      /** @description The name of the file, at most 255 characters. */
      filename: string
      /** @description The media type. Default: derived from the file name. */
      content_type?: string
      /** @description Bytes. */
      size?: number | null
      /** @description SHA-256 of the content, in hexadecimal. */
      sha256?: string | null
      /** @description Accepted and not used. */
      url?: unknown
    }
    AttachmentDelete: {
      /**
       * @description The type of the record.
       * @constant
       */
      type: "attachment"
      /** @description The record's id. */
      id: string
      /**
       * @description The record was deleted. (enum property replaced by openapi-typescript)
       * @enum {string}
       */
      op: "delete"
      /** @description The record's revision, counted from 1; a note's is its version. */
      revision: number
      /**
       * @description Null: the record was deleted.
       * @constant
       */
      data: unknown
      /**
       * Format: date-time
       * @description When the record last changed.
       */
      changed_at: string
      /** @description The user who caused it; null if the server did. */
      actor_id: string | null
      /** @description The device that caused it, if known. */
      device_id: string | null
    }
    AttachmentPage: {
      /** @description The resources of this page. */
      data: components["schemas"]["Attachment"][]
      /** @description Whether there is another page. */
      has_more: boolean
      /** @description The `cursor` of the next page, else null. */
      next_cursor: string | null
    }
    AttachmentUpdate: {
      /** @description The note that the file belongs to. */
      note_id?: string
      /** @description The name of the file, at most 255 characters. */
      filename?: string
      /** @description The media type. Default: derived from the file name. */
      content_type?: string
      /** @description Accepted and not used. */
      size?: unknown
      /** @description Accepted and not used. */
      sha256?: unknown
      /** @description Accepted and not used. */
      url?: unknown
    }
    AttachmentUpload: {
      /** @description The record's id. */
      id: string
      /** @description The note that the file belongs to. */
      note_id: string
      /** @description The name of the file, at most 255 characters. */
      filename: string
      /** @description The media type. Default: derived from the file name. */
      content_type: string
      /** @description Size in bytes; null until it is known. */
      size: number | null
      /** @description SHA-256 of the content, in hexadecimal; null until it is known. */
      sha256: string | null
      /**
       * @description `pending` until its bytes have arrived, then `ready`.
       * @enum {string}
       */
      status: "pending" | "ready" | "failed"
      /**
       * Format: date-time
       * @description When it was created.
       */
      created_at: string
      /** @description The signed address of its bytes, valid for at most 15 minutes; it needs no Authorization. Null until the attachment is ready. */
      url: string | null
      /** @description The address to send its bytes to, once. Null if the server has them already. */
      upload_url: string | null
      /**
       * @description How to send them: unchanged, as the body of a PUT.
       * @constant
       */
      upload_method: "PUT"
      /** @description Headers to send with the bytes. */
      upload_headers: {
        [key: string]: string
      }
      /** @description When `upload_url` expires. */
      upload_expires_at: string | null
    }
    AttachmentUpsert: {
      /**
       * @description The type of the record.
       * @constant
       */
      type: "attachment"
      /** @description The record's id. */
      id: string
      /**
       * @description The record was written. (enum property replaced by openapi-typescript)
       * @enum {string}
       */
      op: "upsert"
      /** @description The record's revision, counted from 1; a note's is its version. */
      revision: number
      /** @description The whole record. */
      data: components["schemas"]["SyncedAttachment"]
      /**
       * Format: date-time
       * @description When the record last changed.
       */
      changed_at: string
      /** @description The user who caused it; null if the server did. */
      actor_id: string | null
      /** @description The device that caused it, if known. */
      device_id: string | null
    }
    AuditEntry: {
      /** @description The record's id. */
      id: string
      /**
       * @description The action. Later versions may have more.
       * @enum {string}
       */
      action:
        | "invitation.created"
        | "invitation.resent"
        | "invitation.accepted"
        | "invitation.deleted"
        | "member.added"
        | "member.role_changed"
        | "member.removed"
        | "workspace.created"
        | "workspace.updated"
        | "workspace.deleted"
        | "workspace.restored"
        | "api_key.created"
        | "api_key.rotated"
        | "api_key.deleted"
        | "session.created"
        | "session.revoked"
        | "device.registered"
        | "device.revoked"
        | "webhook.created"
        | "webhook.updated"
        | "webhook.deleted"
        | "webhook.disabled"
        | "share.created"
        | "share.updated"
        | "share.deleted"
        | "export.ready"
        | "export.failed"
        | "import.done"
        | "import.failed"
        | "note.purged"
        | "note.version_deleted"
        | "notebook.deleted"
        | "export.requested"
        | "export.downloaded"
        | "device.push_subscribed"
        | "device.push_unsubscribed"
        | "plan.changed"
        | "tool.called"
        | "auth.logged_in"
        | "auth.login_failed"
        | "auth.refused"
        | "auth.token_reused"
        | "auth.password_changed"
        | "auth.password_reset"
        | "auth.email_changed"
        | "auth.name_changed"
        | "auth.email_confirmed"
        | "auth.account_deleted"
        | "auth.account_suspended"
        | "auth.account_resumed"
        | "auth.sessions_ended"
        | "auth.operator_added"
        | "auth.operator_removed"
        | "auth.reset_link_made"
        | "server.backup_downloaded"
        | "server.backup_requested"
        | "server.check_requested"
        | "server.index_rebuilt"
        | "server.job_retried"
        | "server.mail_resent"
        | "server.mail_tested"
        | "server.user_deleted"
        | "server.workspace_purged"
      /** @description The user who did it; null if no user was signed in, or if the server did it. */
      actor_id: string | null
      /** @description The IP address of the caller; null if the server did it. */
      ip: string | null
      /**
       * @description The type of the affected record. Later versions may have more.
       * @enum {string}
       */
      resource_type:
        | "invitation"
        | "member"
        | "workspace"
        | "api_key"
        | "session"
        | "device"
        | "webhook"
        | "share"
        | "export"
        | "import"
        | "user"
        | "note"
        | "notebook"
        | "server"
      /** @description The id of the affected record. */
      resource_id: string
      /** @description Details of the action. */
      metadata: {
        [key: string]: unknown
      }
      /** @description The User-Agent of the client, shortened; null if it sent none. */
      user_agent: string | null
      /**
       * Format: date-time
       * @description When it happened.
       */
      occurred_at: string
    }
    AuditEntryPage: {
      /** @description The resources of this page. */
      data: components["schemas"]["AuditEntry"][]
      /** @description Whether there is another page. */
      has_more: boolean
      /** @description The `cursor` of the next page, else null. */
      next_cursor: string | null
    }
    AuditEntryPage_1: {
      /** @description The resources of this page. */
      data: components["schemas"]["AuditEntry"][]
      /** @description Whether there is another page. */
      has_more: boolean
      /** @description The `cursor` of the next page, else null. */
      next_cursor: string | null
    }
    BackupDownload: {
      /** @description Downloads the backup without further authorization, as long as the caller is an operator. */
      url: string
      /**
       * Format: date-time
       * @description Until when the URL works.
       */
      expires_at: string
    }
    BackupPlan: {
      /** @description The directory or bucket of backups (BACKUP_TO). */
      to: string
      /** @description Seconds between scheduled backups (BACKUP_EVERY); null without a schedule. */
      every_seconds: number | null
      /** @description Number of scheduled backups that stay (BACKUP_KEEP). */
      keep: number
      /** @description Whether backups are encrypted (BACKUP_RECIPIENT). */
      encrypted: boolean
      /** @description Whether a backup is running. */
      running: boolean
      /** @description When the last successful backup began; null if there is none. */
      last_success_at: string | null
      /** @description When the next scheduled backup is due; null without a schedule. */
      next_at: string | null
      /** @description Whether scheduled backups do not succeed on time. */
      overdue: boolean
    }
    ChangeEntry:
      | components["schemas"]["NoteChange"]
      | components["schemas"]["NotebookChange"]
      | components["schemas"]["TagChange"]
      | components["schemas"]["TemplateChange"]
      | components["schemas"]["AttachmentChange"]
      | components["schemas"]["CommentChange"]
      | components["schemas"]["ReminderChange"]
    Changed: {
      /**
       * @description Always true.
       * @constant
       */
      changed: true
    }
    CheckFault: {
      /** @description What is wrong, in one sentence. */
      problem: string
      /** @description What the operator can do about it. */
      remedy: string
      /** @description The workspace whose data is at fault. */
      workspace_id?: string
      /** @description Whether this run has repaired it. */
      repaired?: boolean
    }
    CheckResult: {
      /** @description The name of the check. */
      check: string
      /**
       * @description Its result.
       * @enum {string}
       */
      status: "ok" | "faulty" | "repaired" | "skipped"
      /** @description The faults that it has found: at most 20. */
      faults: components["schemas"]["CheckFault"][]
      /** @description Whether there are more faults. */
      has_more: boolean
      /** @description Why it was skipped; else null. */
      reason: string | null
    }
    CheckRun: {
      /** @description The record's id. */
      id: string
      /**
       * @description `interrupted`: its node has ended meanwhile.
       * @enum {string}
       */
      state: "running" | "ended" | "interrupted"
      /** @description The results of the checks that have ended. */
      results: components["schemas"]["CheckResult"][]
      /**
       * Format: date-time
       * @description When it began.
       */
      started_at: string
      /** @description When it ended; null while it runs. */
      ended_at: string | null
    }
    CheckRunCreate: {
      /** @description Whether the bytes of all files are read, which may take long. Default: false. */
      thorough?: boolean
    }
    CheckRunsPage: {
      /** @description The last 20 runs, the latest first. */
      data: components["schemas"]["CheckRun"][]
    }
    Comment: {
      /** @description The record's id. */
      id: string
      /** @description The note. */
      note_id: string
      /** @description The first comment of its thread; null for the first comment itself. */
      parent_id: string | null
      /** @description The author; null if the comment was deleted. */
      author_id: string | null
      /** @description Markdown, 1 to 5000 characters. Empty if the comment was deleted. */
      body: string
      /** @description Whether the thread is resolved; true only on the first comment of a thread. */
      resolved: boolean
      /** @description Whether it was deleted. It is kept until its last reply is deleted. */
      deleted: boolean
      /**
       * Format: date-time
       * @description When it was created.
       */
      created_at: string
      /**
       * Format: date-time
       * @description When it was last changed.
       */
      updated_at: string
    }
    CommentChange: components["schemas"]["CommentUpsert"] | components["schemas"]["CommentDelete"]
    CommentConflict: {
      /**
       * @description The type of the record. (enum property replaced by openapi-typescript)
       * @enum {string}
       */
      type: "comment"
      /** @description The record's id. */
      id: string
      /**
       * @description Why the change was not written.
       * @enum {string}
       */
      reason: "stale_revision" | "deleted_on_server" | "already_exists" | "unknown_revision"
      /** @description The client's id for this change, 1 to 255 visible ASCII characters. */
      mutation_id: string | null
      /** @description The revision on the server. */
      revision: number | null
      /** @description The revision that the client edited. */
      client_revision: number
      /** @description The record on the server. */
      server: components["schemas"]["CommentChange"] | null
      /** @description The entry that was pushed. */
      client: components["schemas"]["PushComment"]
      /** @description The record at `client_revision`, if it is still known. */
      base: {
        /** @description Its revision. */
        revision: number
        /** @description The whole record. */
        data: components["schemas"]["Comment"]
      } | null
    }
    CommentCreate: {
      /** @description Markdown, 1 to 5000 characters. */
      body: string
      /** @description Whether the thread is resolved; true only on the first comment of a thread. */
      resolved?: boolean
      /** @description Accepted and not used. */
      author_id?: unknown
      /** @description The comment to reply to; a reply to a reply joins its thread. */
      parent_id?: string | null
    }
    CommentDelete: {
      /**
       * @description The type of the record.
       * @constant
       */
      type: "comment"
      /** @description The record's id. */
      id: string
      /**
       * @description The record was deleted. (enum property replaced by openapi-typescript)
       * @enum {string}
       */
      op: "delete"
      /** @description The record's revision, counted from 1; a note's is its version. */
      revision: number
      /**
       * @description Null: the record was deleted.
       * @constant
       */
      data: unknown
      /**
       * Format: date-time
       * @description When the record last changed.
       */
      changed_at: string
      /** @description The user who caused it; null if the server did. */
      actor_id: string | null
      /** @description The device that caused it, if known. */
      device_id: string | null
    }
    CommentPage: {
      /** @description The resources of this page. */
      data: components["schemas"]["Comment"][]
      /** @description Whether there is another page. */
      has_more: boolean
      /** @description The `cursor` of the next page, else null. */
      next_cursor: string | null
    }
    CommentUpdate: {
      /** @description Markdown, 1 to 5000 characters. */
      body?: string
      /** @description Whether the thread is resolved; true only on the first comment of a thread. */
      resolved?: boolean
      /** @description Accepted and not used. */
      author_id?: unknown
      /** @description Accepted and not used. */
      parent_id?: unknown
    }
    CommentUpsert: {
      /**
       * @description The type of the record.
       * @constant
       */
      type: "comment"
      /** @description The record's id. */
      id: string
      /**
       * @description The record was written. (enum property replaced by openapi-typescript)
       * @enum {string}
       */
      op: "upsert"
      /** @description The record's revision, counted from 1; a note's is its version. */
      revision: number
      /** @description The whole record. */
      data: components["schemas"]["Comment"]
      /**
       * Format: date-time
       * @description When the record last changed.
       */
      changed_at: string
      /** @description The user who caused it; null if the server did. */
      actor_id: string | null
      /** @description The device that caused it, if known. */
      device_id: string | null
    }
    Deleted: {
      /**
       * @description Always true.
       * @constant
       */
      deleted: true
      /** @description The id of the deleted record. */
      id: string
    }
    DeletedVersion: {
      /**
       * @description Always true.
       * @constant
       */
      deleted: true
      /** @description The note's id. */
      id: string
      /** @description The version that was deleted. */
      version: number
    }
    Delivery: {
      /** @description The record's id. */
      id: string
      /** @description The webhook. */
      webhook_id: string
      /** @description The event: also the `webhook-id` of each attempt. */
      event_id: string
      /** @description The type of the event. */
      event_type: string
      /** @description Its number among the attempts to send this event, from 1. */
      attempt: number
      /**
       * @description `pending` until it is made; then `succeeded` or `failed`.
       * @enum {string}
       */
      status: "pending" | "succeeded" | "failed"
      /** @description The status of the response; null without a response. */
      status_code: number | null
      /** @description The duration in milliseconds; null before it is made. */
      latency_ms: number | null
      /** @description Why it failed; null when it succeeded or is pending. */
      error: string | null
      /** @description The request; null before it is made. */
      request: components["schemas"]["DeliveryRequest"] | null
      /** @description The response; null if there was none. */
      response: components["schemas"]["DeliveryResponse"] | null
      /** @description When a pending attempt is made; null when it is made, or being made. */
      next_attempt_at: string | null
      /**
       * Format: date-time
       * @description When it was created.
       */
      created_at: string
    }
    DeliveryPage: {
      /** @description The resources of this page. */
      data: components["schemas"]["Delivery"][]
      /** @description Whether there is another page. */
      has_more: boolean
      /** @description The `cursor` of the next page, else null. */
      next_cursor: string | null
    }
    DeliveryRequest: {
      /** @description The URL of the endpoint. */
      url: string
      /** @description Its headers, without the signature. */
      headers: {
        [key: string]: string
      }
      /** @description The first 16 KiB of its body as text. Its `resource` is null after the affected record is erased. */
      body: string
    }
    DeliveryResponse: {
      /** @description Its headers without cookies, at most 2 KiB. */
      headers: {
        [key: string]: string
      }
      /** @description The first 2 KiB of its body as text; null after the affected record is erased. */
      body: string | null
    }
    Device: {
      /** @description The record's id. */
      id: string
      /** @description The name shown to people. */
      name: string
      /** @description The platform of the device. */
      platform: string
      /** @description The user's id. */
      user_id: string
      /**
       * Format: date-time
       * @description When the device last pulled or pushed, to the minute.
       */
      last_sync_at: string
      /** @description Whether it is the device of this request. */
      current: boolean
      /**
       * Format: date-time
       * @description When it was created.
       */
      created_at: string
    }
    DeviceInput: {
      /** @description The id of the device, if it has one already. */
      id?: string
      /** @description The name shown to people. */
      name?: string
      /** @description The platform of the device. */
      platform?: string
    }
    DevicePage: {
      /** @description The resources of this page. */
      data: components["schemas"]["Device"][]
      /** @description Whether there is another page. */
      has_more: boolean
      /** @description The `cursor` of the next page, else null. */
      next_cursor: string | null
    }
    ErrorCode: {
      /**
       * Format: uri
       * @description The URL of this explanation.
       */
      type: string
      /** @description The code. */
      code: components["schemas"]["ProblemCode"]
      /** @description The `title` of problems with this code. */
      title: string
      /** @description The status of responses with this code. */
      status: number
      /** @description The cause of the problem. */
      cause: string
      /** @description What a client can do about it. */
      remedy: string
    }
    Event: {
      /** @description The record's id. */
      id: string
      /** @description The type of the event. Later versions may have more: skip types that you do not know. */
      type: components["schemas"]["EventType"]
      /**
       * @description The type of the affected record. Later versions may have more.
       * @enum {string}
       */
      resource_type:
        | "note"
        | "notebook"
        | "tag"
        | "attachment"
        | "template"
        | "comment"
        | "reminder"
        | "share"
        | "export"
        | "import"
        | "invitation"
        | "member"
        | "workspace"
        | "api_key"
        | "session"
        | "device"
        | "webhook"
      /** @description The id of the affected record. */
      resource_id: string
      /** @description The workspace's id. */
      workspace_id: string
      /** @description The user who caused it; null if the server did. */
      actor_id: string | null
      /**
       * Format: date-time
       * @description When it happened.
       */
      occurred_at: string
      /** @description Details of the event. */
      data: {
        [key: string]: unknown
      } | null
    }
    EventPage: {
      /** @description The resources of this page. */
      data: components["schemas"]["Event"][]
      /** @description Whether there is another page. */
      has_more: boolean
      /** @description The `cursor` of the next page, else null. */
      next_cursor: string | null
    }
    /** @enum {string} */
    EventType:
      | "note.created"
      | "note.updated"
      | "note.archived"
      | "note.restored"
      | "note.deleted"
      | "note.purged"
      | "note.version_deleted"
      | "notebook.created"
      | "notebook.updated"
      | "notebook.moved"
      | "notebook.deleted"
      | "tag.created"
      | "tag.updated"
      | "tag.deleted"
      | "tag.merged"
      | "attachment.created"
      | "attachment.ready"
      | "attachment.updated"
      | "attachment.deleted"
      | "template.created"
      | "template.updated"
      | "template.deleted"
      | "template.applied"
      | "comment.created"
      | "comment.updated"
      | "comment.resolved"
      | "comment.deleted"
      | "reminder.created"
      | "reminder.updated"
      | "reminder.fired"
      | "reminder.deleted"
      | "share.created"
      | "share.updated"
      | "share.deleted"
      | "export.ready"
      | "export.failed"
      | "import.done"
      | "import.failed"
      | "invitation.created"
      | "invitation.resent"
      | "invitation.accepted"
      | "invitation.deleted"
      | "member.added"
      | "member.role_changed"
      | "member.removed"
      | "workspace.created"
      | "workspace.updated"
      | "workspace.deleted"
      | "workspace.restored"
      | "api_key.created"
      | "api_key.rotated"
      | "api_key.deleted"
      | "session.created"
      | "session.revoked"
      | "device.registered"
      | "device.revoked"
      | "webhook.created"
      | "webhook.updated"
      | "webhook.deleted"
      | "webhook.disabled"
      | "sync.conflict"
      | "ping"
    Export: {
      /** @description The record's id. */
      id: string
      /**
       * @description What is exported: a notebook with its sub-notebooks, or the whole workspace.
       * @enum {string}
       */
      scope: "notebook" | "workspace"
      /**
       * @description Markdown files, or JSON that an import reads back without loss.
       * @enum {string}
       */
      format: "markdown" | "json"
      /**
       * @description The status. An export that is interrupted starts again.
       * @enum {string}
       */
      status: "queued" | "running" | "ready" | "failed"
      /** @description The notebook, if the scope is `notebook`; else null. */
      notebook_id: string | null
      /** @description Whether the files of the notes are included. */
      include_attachments: boolean
      /** @description Why it failed, else null. */
      error: string | null
      /** @description The size of its file in bytes; null until it is ready. */
      size_bytes: number | null
      /** @description When it is removed, seven days after it finished; null before. */
      expires_at: string | null
      /**
       * Format: date-time
       * @description When it was created.
       */
      created_at: string
      /** @description The progress, from 0 to 1. */
      progress: number
      /** @description The address of its file, valid for 15 minutes; null until it is ready. Each GET returns a new one. */
      download_url: string | null
    }
    ExportCreate: {
      /**
       * @description What is exported: a notebook with its sub-notebooks, or the whole workspace.
       * @enum {string}
       */
      scope: "notebook" | "workspace"
      /**
       * @description Markdown files, or JSON that an import reads back without loss. When left out, `markdown`.
       * @enum {string}
       */
      format?: "markdown" | "json"
      /** @description The notebook. Required if the scope is `notebook`, else ignored. */
      notebook_id?: string | null
      /** @description Whether the files of the notes are included. When left out, they are. */
      include_attachments?: boolean
      /** @description Accepted and not used. */
      status?: unknown
      /** @description Accepted and not used. */
      download_url?: unknown
      /** @description The password of the signed-in user. Required if the last sign-in, or the last request with it, was more than 15 minutes ago; not used for API keys. */
      current_password?: string
    }
    ExportPage: {
      /** @description The resources of this page. */
      data: components["schemas"]["Export"][]
      /** @description Whether there is another page. */
      has_more: boolean
      /** @description The `cursor` of the next page, else null. */
      next_cursor: string | null
    }
    /**
     * @description The possible issues of a field. Later versions may add codes.
     * @enum {string}
     */
    FieldCode:
      | "blank"
      | "cycle"
      | "invalid"
      | "invalid_characters"
      | "invalid_color"
      | "invalid_email"
      | "invalid_locale"
      | "invalid_slug"
      | "invalid_tag"
      | "invalid_timestamp"
      | "invalid_timezone"
      | "invalid_type"
      | "mismatch"
      | "out_of_range"
      | "required"
      | "taken"
      | "too_common"
      | "too_deep"
      | "too_long"
      | "too_many"
      | "too_short"
      | "unknown"
      | "unknown_field"
      | "unknown_icon"
      | "unknown_plan"
      | "unknown_role"
      | "unknown_scope"
    FieldIssue: {
      /** @description The path of the field, with its parts separated by dots. */
      field: string
      /** @description A JSON Pointer into the body (RFC 6901). */
      pointer: string
      /** @description The code of the issue, for programs. */
      code: components["schemas"]["FieldCode"]
      /** @description The issue, for people. */
      message: string
    }
    /**
     * @description The name of a built-in icon.
     * @enum {string}
     */
    Icon:
      | "archive"
      | "bell"
      | "book"
      | "bookmark"
      | "box"
      | "briefcase"
      | "bug"
      | "calendar"
      | "camera"
      | "cart"
      | "chart"
      | "chat"
      | "check"
      | "clock"
      | "cloud"
      | "code"
      | "coffee"
      | "compass"
      | "cup"
      | "database"
      | "document"
      | "earth"
      | "film"
      | "flag"
      | "flask"
      | "folder"
      | "game"
      | "gear"
      | "gift"
      | "graduation"
      | "heart"
      | "home"
      | "inbox"
      | "key"
      | "lamp"
      | "leaf"
      | "lightbulb"
      | "link"
      | "list"
      | "lock"
      | "mail"
      | "map"
      | "megaphone"
      | "moon"
      | "music"
      | "notebook"
      | "paint"
      | "paperclip"
      | "pen"
      | "people"
      | "phone"
      | "photo"
      | "pin"
      | "plane"
      | "puzzle"
      | "rocket"
      | "shield"
      | "star"
      | "sun"
      | "tag"
      | "target"
      | "tools"
      | "tree"
      | "trophy"
      | "umbrella"
      | "user"
      | "wallet"
      | "wrench"
    Import: {
      /** @description The record's id. */
      id: string
      /**
       * @description Where the file comes from. `auto` recognizes it by its content: Markdown, plain text or HTML, alone or in a ZIP, as of Obsidian, Logseq and Bear; exports of Evernote, Notion, Google Keep, Simplenote, Standard Notes and Joplin; a JSON export of this service. `markdown`, `enex` (Evernote), `notion` and `json` (this service) name one of them; a file that is plainly something else is imported as what it is, with an entry in `errors`.
       * @enum {string}
       */
      source: "auto" | "markdown" | "enex" | "notion" | "json"
      /**
       * @description The status: `queued` until its file has arrived and the job starts. `done` also if `errors` lists parts that could not be imported as they were.
       * @enum {string}
       */
      status: "queued" | "running" | "done" | "failed"
      /** @description The notebook to import into, with folders as sub-notebooks; null for the top level. */
      notebook_id: string | null
      /** @description The name of the file; null if unknown. */
      filename: string | null
      /** @description The size of the file in bytes; null until it has arrived. */
      size_bytes: number | null
      /**
       * @description What to do with notes that an earlier import of the workspace imported, into any notebook. A note is recognized by its path in the file, its Notion or Evernote id, or its id in a JSON export. `skip` omits a note whose content and files are the same, unless the earlier note is in the trash; a changed note is imported as a new note. `update` works like `skip`, but writes a changed note into the earlier one, unless that has been edited since. `duplicate` imports everything as new notes.
       * @enum {string}
       */
      on_existing: "skip" | "update" | "duplicate"
      /** @description Notes created so far. */
      imported: number
      /** @description Notes omitted so far, because an earlier import created them. */
      skipped: number
      /** @description Notes of earlier imports updated so far. */
      updated: number
      /** @description Notes in the file; null until known. */
      total: number | null
      /** @description What could not be imported as it was, at most 1000 entries. Everything else was imported. */
      errors: components["schemas"]["ImportError"][]
      /**
       * Format: date-time
       * @description When it was created.
       */
      created_at: string
      /** @description The progress, from 0 to 1. */
      progress: number
      /** @description The address to send the file to, once. Null once it has arrived. */
      upload_url?: string | null
      /**
       * @description How to send it: unchanged, as the body of a PUT.
       * @constant
       */
      upload_method?: "PUT"
      /** @description Headers to send with the bytes. */
      upload_headers?: {
        [key: string]: string
      }
      /** @description When `upload_url` expires. */
      upload_expires_at?: string | null
    }
    ImportCreate: {
      /**
       * @description Where the file comes from. `auto` recognizes it by its content: Markdown, plain text or HTML, alone or in a ZIP, as of Obsidian, Logseq and Bear; exports of Evernote, Notion, Google Keep, Simplenote, Standard Notes and Joplin; a JSON export of this service. `markdown`, `enex` (Evernote), `notion` and `json` (this service) name one of them; a file that is plainly something else is imported as what it is, with an entry in `errors`.
       * @enum {string}
       */
      source: "auto" | "markdown" | "enex" | "notion" | "json"
      /** @description The notebook to import into, with folders as sub-notebooks. Without it, folders become notebooks on the top level, and notes outside of folders go into "Inbox". Ignored for a JSON export of this service, which has its own notebooks. */
      notebook_id?: string | null
      /**
       * @description What to do with notes that an earlier import of the workspace imported, into any notebook. A note is recognized by its path in the file, its Notion or Evernote id, or its id in a JSON export. `skip` omits a note whose content and files are the same, unless the earlier note is in the trash; a changed note is imported as a new note. `update` works like `skip`, but writes a changed note into the earlier one, unless that has been edited since. `duplicate` imports everything as new notes. Without it, `skip`.
       * @enum {string}
       */
      on_existing?: "skip" | "update" | "duplicate"
      /** @description The name of the file. It names a notebook or note that has no other name. */
      filename?: string | null
      /** @description Accepted and not used. */
      status?: unknown
      /** @description Accepted and not used. */
      imported?: unknown
      /** @description Accepted and not used. */
      skipped?: unknown
      /** @description Accepted and not used. */
      updated?: unknown
      /** @description Accepted and not used. */
      errors?: unknown
    }
    ImportError: {
      /** @description The path in the archive or the title of the note; the name of the file if the whole file is concerned. */
      file: string
      /**
       * @description The code of the issue, for programs.
       * @enum {string}
       */
      code:
        | "other_source"
        | "not_readable"
        | "too_large"
        | "too_many_entries"
        | "suspicious_ratio"
        | "unsafe_path"
        | "symbolic_link"
        | "encrypted"
        | "unsupported_compression"
        | "overlapping"
        | "damaged"
        | "duplicate_path"
        | "name_repaired"
        | "skipped"
        | "unused_files"
        | "text_repaired"
        | "encoding_assumed"
        | "was_in_trash"
        | "title_shortened"
        | "notebook_folded"
        | "body_too_long"
        | "front_matter_not_read"
        | "tag_not_taken"
        | "date_not_read"
        | "link_not_found"
        | "link_ambiguous"
        | "unsafe_link"
        | "missing_file"
        | "too_many_links"
        | "too_complex"
        | "not_well_formed"
        | "truncated"
        | "encrypted_text"
        | "not_converted"
        | "invalid_file"
        | "edited_since"
        | "insufficient_role"
        | "more_problems"
        | "not_ended"
        | "nothing_came"
        | "plan_required"
        | "quota_exceeded"
      /** @description The issue, for people. */
      message: string
    }
    ImportPage: {
      /** @description The resources of this page. */
      data: components["schemas"]["Import"][]
      /** @description Whether there is another page. */
      has_more: boolean
      /** @description The `cursor` of the next page, else null. */
      next_cursor: string | null
    }
    Invitation: {
      /** @description The record's id. */
      id: string
      /** @description The address that is invited. */
      email: string
      /**
       * @description The role of the member: `owner`, `admin`, `editor` or `viewer`.
       * @enum {string}
       */
      role: "owner" | "admin" | "editor" | "viewer"
      /**
       * @description The status at the time of the response.
       * @enum {string}
       */
      status: "pending" | "accepted" | "expired"
      /**
       * Format: date-time
       * @description Until when it can be accepted.
       */
      expires_at: string
      /**
       * Format: date-time
       * @description When it was created.
       */
      created_at: string
      /** @description The user who invited. */
      invited_by: string
    }
    InvitationAccept: {
      /** @description The token in the link. */
      token: string
    }
    InvitationCreate: {
      /**
       * Format: idn-email
       * @description The address that is invited.
       */
      email: string
      /**
       * @description The role of the new member, at most the caller's own. Default: `editor`.
       * @enum {string}
       */
      role?: "owner" | "admin" | "editor" | "viewer"
      /** @description Until when it can be accepted, at most 30 days ahead. Default: seven days. */
      expires_at?: string | null
      /** @description Accepted and not used. */
      status?: unknown
      /** @description The password of the signed-in user. Required if the last sign-in, or the last request with it, was more than 15 minutes ago; not used for API keys. */
      current_password?: string
    }
    InvitationPage: {
      /** @description The resources of this page. */
      data: components["schemas"]["Invitation"][]
      /** @description Whether there is another page. */
      has_more: boolean
      /** @description The `cursor` of the next page, else null. */
      next_cursor: string | null
    }
    InvitationResend: {
      /** @description Until when it can be accepted, at most 30 days ahead. Default: seven days. */
      expires_at?: string | null
      /** @description Accepted and not used. */
      email?: unknown
      /** @description Accepted and not used. */
      role?: unknown
      /** @description Accepted and not used. */
      status?: unknown
    }
    InvitationSent: {
      /** @description The record's id. */
      id: string
      /** @description The address that is invited. */
      email: string
      /**
       * @description The role of the member: `owner`, `admin`, `editor` or `viewer`.
       * @enum {string}
       */
      role: "owner" | "admin" | "editor" | "viewer"
      /**
       * @description The status at the time of the response.
       * @enum {string}
       */
      status: "pending" | "accepted" | "expired"
      /**
       * Format: date-time
       * @description Until when it can be accepted.
       */
      expires_at: string
      /**
       * Format: date-time
       * @description When it was created.
       */
      created_at: string
      /** @description The user who invited. */
      invited_by: string
      /**
       * Format: uri
       * @description The link for the invited person, if the server has no SMTP. It is shown in this response only.
       */
      accept_url?: string
    }
    LogIn: {
      /** @description An e-mail address. */
      email: string
      /** @description The password. */
      password: string
      /** @description The device to sign in on: a known one by its id, or a new one. */
      device?: {
        /** @description The id of the device, if it has one already. */
        id?: string
        /** @description The name shown to people. */
        name?: string
        /** @description The platform of the device. */
        platform?: string
        /** @description The language of the device. A new account without one gets it, and an account at its first sign-in. An invalid one is ignored. */
        locale?: string
        /** @description The time zone of the device. A new account without one gets it, and an account at its first sign-in. An unknown one is ignored. */
        timezone?: string
      }
    }
    LogOut: {
      [key: string]: unknown
    }
    MailTest: {
      /** @description The address that it goes to. */
      recipient: string
      /** @description Whether the SMTP server has accepted it. */
      sent: boolean
      /** @description Why it was not sent: a code of SMTP or of the system; null if it was sent, or if there is no SMTP server and it is in DATA_DIR/outbox. */
      error: string | null
    }
    MailTestCreate: {
      /**
       * Format: idn-email
       * @description The address that it goes to.
       */
      email: string
    }
    MatchedTerm: {
      /** @description A term of the note, in lower case and without diacritics. */
      term: string
      /**
       * @description How it matches the query; the best kind is listed first.
       * @enum {string}
       */
      kind: "exact" | "form" | "part" | "prefix" | "typo"
      /**
       * @description The member that contains it.
       * @enum {string}
       */
      field: "title" | "tags" | "body"
      /** @description Its weight: rarer terms weigh more. */
      weight: number
    }
    Member: {
      /** @description The record's id. */
      id: string
      /** @description The user's id. */
      user_id: string
      /**
       * @description The role of the member: `owner`, `admin`, `editor` or `viewer`.
       * @enum {string}
       */
      role: "owner" | "admin" | "editor" | "viewer"
      /** @description The e-mail address of the person. */
      email: string
      /** @description The name of the person. */
      name: string
      /**
       * Format: date-time
       * @description When it was created.
       */
      created_at: string
    }
    MemberPage: {
      /** @description The resources of this page. */
      data: components["schemas"]["Member"][]
      /** @description Whether there is another page. */
      has_more: boolean
      /** @description The `cursor` of the next page, else null. */
      next_cursor: string | null
    }
    MemberUpdate: {
      /**
       * @description The role of the member: `owner`, `admin`, `editor` or `viewer`.
       * @enum {string}
       */
      role: "owner" | "admin" | "editor" | "viewer"
      /** @description Accepted and not used. */
      user_id?: unknown
      /** @description Accepted and not used. */
      email?: unknown
      /** @description The password of the signed-in user. Required if the last sign-in, or the last request with it, was more than 15 minutes ago; not used for API keys. */
      current_password?: string
    }
    NewestCursor: {
      /** @description An opaque position, at most 2048 characters. */
      cursor: string
      /** @description Change entries. */
      changes: components["schemas"]["ChangeEntry"][]
      /** @description Whether there is another page. */
      has_more: boolean
      /** @description Always empty here: only a push has conflicts. */
      conflicts: components["schemas"]["SyncConflict"][]
      /**
       * Format: date-time
       * @description Until when the cursor is valid.
       */
      cursor_expires_at: string
      /** @description The device that syncs, if known. */
      device_id: string | null
      /** @description The workspace in which the caller is, whose changes the cursor follows. */
      workspace_id: string
    }
    Note: {
      /** @description The record's id. */
      id: string
      /** @description The notebook that contains the note. */
      notebook_id: string
      /** @description Plain text, at most 200 characters. */
      title: string
      /** @description Markdown, at most 1 048 576 bytes in UTF-8. */
      body: string
      /** @description Names of tags, at most 50. */
      tags: string[]
      /** @description Pinned notes come first in lists. */
      pinned: boolean
      /** @description Archived notes are hidden from default lists. */
      archived: boolean
      /** @description The number of the version; each change increases it by one. */
      version: number
      /** @description Words in the body, counted by the server. */
      word_count: number
      /**
       * Format: date-time
       * @description When it was created.
       */
      created_at: string
      /**
       * Format: date-time
       * @description When it was last changed.
       */
      updated_at: string
      /**
       * Format: date-time
       * @description When it was moved to the trash. Only notes in the trash have this member.
       */
      deleted_at?: string
    }
    NoteActivity: {
      /** @description The id of the event. */
      id: string
      /** @description What happened. Later versions may have more types: skip those that you do not know. */
      type: components["schemas"]["EventType"]
      /**
       * @description The type of the record that changed: the note, or one that belongs to it.
       * @enum {string}
       */
      resource_type: "note" | "attachment" | "comment" | "reminder" | "share"
      /** @description The id of the record that changed. For the note that was created as the conflict copy of this one, that of the copy. */
      resource_id: string
      /**
       * Format: date-time
       * @description When it happened.
       */
      occurred_at: string
      /** @description Who made the change. */
      actor: components["schemas"]["ActivityActor"]
      /** @description The device, if the change came from one. */
      device: components["schemas"]["ActivityDevice"] | null
      /** @description By which way the change came; null if the server made it, or an earlier version of Sheaf recorded it. */
      via: components["schemas"]["ActivityVia"] | null
      /** @description The version of the note that the change made; null if it made none. */
      version: number | null
      /** @description The members of the note that changed, if they are known. */
      fields: string[] | null
      /** @description The earlier version that the change restored. */
      restored_from: number | null
      /** @description The version that was removed from the history. */
      deleted_version: number | null
      /** @description For `sync.conflict`: the pushed change that was not written. */
      conflict: components["schemas"]["ActivityConflict"] | null
    }
    NoteActivityPage: {
      /** @description The resources of this page. */
      data: components["schemas"]["NoteActivity"][]
      /** @description Whether there is another page. */
      has_more: boolean
      /** @description The `cursor` of the next page, else null. */
      next_cursor: string | null
    }
    NoteChange: components["schemas"]["NoteUpsert"] | components["schemas"]["NoteDelete"]
    NoteConflict: {
      /**
       * @description The type of the record. (enum property replaced by openapi-typescript)
       * @enum {string}
       */
      type: "note"
      /** @description The record's id. */
      id: string
      /**
       * @description Why the change was not written.
       * @enum {string}
       */
      reason: "stale_revision" | "deleted_on_server" | "already_exists" | "unknown_revision"
      /** @description The client's id for this change, 1 to 255 visible ASCII characters. */
      mutation_id: string | null
      /** @description The revision on the server. */
      revision: number | null
      /** @description The revision that the client edited. */
      client_revision: number
      /** @description The record on the server. */
      server: components["schemas"]["NoteChange"] | null
      /** @description The entry that was pushed. */
      client: components["schemas"]["PushNote"]
      /** @description The record at `client_revision`, if it is still known. */
      base: {
        /** @description Its revision. */
        revision: number
        /** @description The whole record. */
        data: components["schemas"]["Note"]
      } | null
    }
    NoteCreate: {
      /** @description The notebook that contains the note. */
      notebook_id: string
      /** @description Plain text, at most 200 characters. */
      title: string
      /** @description Markdown, at most 1 048 576 bytes in UTF-8. */
      body?: string
      /** @description Names of tags, at most 50. */
      tags?: string[]
      /** @description Pinned notes come first in lists. */
      pinned?: boolean
      /** @description Archived notes are hidden from default lists. */
      archived?: boolean
    }
    NoteDelete: {
      /**
       * @description The type of the record.
       * @constant
       */
      type: "note"
      /** @description The record's id. */
      id: string
      /**
       * @description The record was deleted. (enum property replaced by openapi-typescript)
       * @enum {string}
       */
      op: "delete"
      /** @description The record's revision, counted from 1; a note's is its version. */
      revision: number
      /**
       * @description Null: the record was deleted.
       * @constant
       */
      data: unknown
      /**
       * Format: date-time
       * @description When the record last changed.
       */
      changed_at: string
      /** @description The user who caused it; null if the server did. */
      actor_id: string | null
      /** @description The device that caused it, if known. */
      device_id: string | null
    }
    NotePage: {
      /** @description The resources of this page. */
      data: components["schemas"]["Note"][]
      /** @description Whether there is another page. */
      has_more: boolean
      /** @description The `cursor` of the next page, else null. */
      next_cursor: string | null
    }
    NoteSummary: {
      /** @description The record's id. */
      id: string
      /** @description The notebook that contains the note. */
      notebook_id: string
      /** @description Plain text, at most 200 characters. */
      title: string
      /** @description Names of tags, at most 50. */
      tags: string[]
      /** @description Pinned notes come first in lists. */
      pinned: boolean
      /** @description Archived notes are hidden from default lists. */
      archived: boolean
      /** @description The number of the version; each change increases it by one. */
      version: number
      /** @description Words in the body, counted by the server. */
      word_count: number
      /**
       * Format: date-time
       * @description When it was created.
       */
      created_at: string
      /**
       * Format: date-time
       * @description When it was last changed.
       */
      updated_at: string
      /**
       * Format: date-time
       * @description When it was moved to the trash. Only notes in the trash have this member.
       */
      deleted_at?: string
      /** @description The beginning of the text on one line, without Markdown and front matter, at most 200 characters. */
      excerpt: string
    }
    NoteSummaryPage: {
      /** @description The resources of this page. */
      data: components["schemas"]["NoteSummary"][]
      /** @description Whether there is another page. */
      has_more: boolean
      /** @description The `cursor` of the next page, else null. */
      next_cursor: string | null
    }
    NoteUpdate: {
      /** @description The notebook that contains the note. */
      notebook_id?: string
      /** @description Plain text, at most 200 characters. */
      title?: string
      /** @description Markdown, at most 1 048 576 bytes in UTF-8. */
      body?: string
      /** @description Names of tags, at most 50. */
      tags?: string[]
      /** @description Pinned notes come first in lists. */
      pinned?: boolean
      /** @description Archived notes are hidden from default lists. */
      archived?: boolean
      /** @description The version that the change is based on. If it is not the current one: 412. */
      version?: number
    }
    NoteUpsert: {
      /**
       * @description The type of the record.
       * @constant
       */
      type: "note"
      /** @description The record's id. */
      id: string
      /**
       * @description The record was written. (enum property replaced by openapi-typescript)
       * @enum {string}
       */
      op: "upsert"
      /** @description The record's revision, counted from 1; a note's is its version. */
      revision: number
      /** @description The whole record. */
      data: components["schemas"]["Note"]
      /**
       * Format: date-time
       * @description When the record last changed.
       */
      changed_at: string
      /** @description The user who caused it; null if the server did. */
      actor_id: string | null
      /** @description The device that caused it, if known. */
      device_id: string | null
    }
    NoteVersion: {
      /** @description The number of the version; each change increases it by one. */
      version: number
      /** @description The note's id. */
      note_id: string
      /** @description Plain text, at most 200 characters. */
      title: string
      /** @description Markdown, at most 1 048 576 bytes in UTF-8. */
      body: string
      /** @description Names of tags, at most 50. */
      tags: string[]
      /** @description The notebook that contains the note. */
      notebook_id: string
      /** @description Words in the body, counted by the server. */
      word_count: number
      /** @description The user who created it; null if the server did. */
      author_id: string | null
      /**
       * Format: date-time
       * @description When it was created.
       */
      created_at: string
      /** @description The version that this one restored, else null. */
      restored_from: number | null
    }
    NoteVersionPage: {
      /** @description The resources of this page. */
      data: components["schemas"]["NoteVersion"][]
      /** @description Whether there is another page. */
      has_more: boolean
      /** @description The `cursor` of the next page, else null. */
      next_cursor: string | null
    }
    Notebook: {
      /** @description The record's id. */
      id: string
      /** @description The name shown to people. */
      name: string
      /** @description A color as `#rgb` or `#rrggbb`; stored with six lower-case digits. */
      color: string | null
      /** @description The name of a built-in icon. */
      icon: components["schemas"]["Icon"] | null
      /** @description The notebook that contains this one; null on the top level. */
      parent_id: string | null
      /** @description The number of notes directly inside. */
      note_count: number
      /**
       * Format: date-time
       * @description When it was created.
       */
      created_at: string
      /**
       * Format: date-time
       * @description When it was last changed.
       */
      updated_at: string
    }
    NotebookChange: components["schemas"]["NotebookUpsert"] | components["schemas"]["NotebookDelete"]
    NotebookConflict: {
      /**
       * @description The type of the record. (enum property replaced by openapi-typescript)
       * @enum {string}
       */
      type: "notebook"
      /** @description The record's id. */
      id: string
      /**
       * @description Why the change was not written.
       * @enum {string}
       */
      reason: "stale_revision" | "deleted_on_server" | "already_exists" | "unknown_revision"
      /** @description The client's id for this change, 1 to 255 visible ASCII characters. */
      mutation_id: string | null
      /** @description The revision on the server. */
      revision: number | null
      /** @description The revision that the client edited. */
      client_revision: number
      /** @description The record on the server. */
      server: components["schemas"]["NotebookChange"] | null
      /** @description The entry that was pushed. */
      client: components["schemas"]["PushNotebook"]
      /** @description The record at `client_revision`, if it is still known. */
      base: {
        /** @description Its revision. */
        revision: number
        /** @description The whole record. */
        data: components["schemas"]["SyncedNotebook"]
      } | null
    }
    NotebookCreate: {
      /** @description The name shown to people. */
      name: string
      /** @description A color as `#rgb` or `#rrggbb`; stored with six lower-case digits. */
      color?: string | null
      /** @description The name of a built-in icon. */
      icon?: components["schemas"]["Icon"] | null
      /** @description The notebook that contains this one; null on the top level. */
      parent_id?: string | null
    }
    NotebookDelete: {
      /**
       * @description The type of the record.
       * @constant
       */
      type: "notebook"
      /** @description The record's id. */
      id: string
      /**
       * @description The record was deleted. (enum property replaced by openapi-typescript)
       * @enum {string}
       */
      op: "delete"
      /** @description The record's revision, counted from 1; a note's is its version. */
      revision: number
      /**
       * @description Null: the record was deleted.
       * @constant
       */
      data: unknown
      /**
       * Format: date-time
       * @description When the record last changed.
       */
      changed_at: string
      /** @description The user who caused it; null if the server did. */
      actor_id: string | null
      /** @description The device that caused it, if known. */
      device_id: string | null
    }
    NotebookMove: {
      /** @description The name shown to people. */
      name?: string
      /** @description A color as `#rgb` or `#rrggbb`; stored with six lower-case digits. */
      color?: string | null
      /** @description The name of a built-in icon. */
      icon?: components["schemas"]["Icon"] | null
      /** @description The notebook that contains this one; null on the top level. */
      parent_id: string | null
    }
    NotebookPage: {
      /** @description The resources of this page. */
      data: components["schemas"]["Notebook"][]
      /** @description Whether there is another page. */
      has_more: boolean
      /** @description The `cursor` of the next page, else null. */
      next_cursor: string | null
    }
    NotebookRestore: {
      /** @description The name shown to people. */
      name?: string
      /** @description A color as `#rgb` or `#rrggbb`; stored with six lower-case digits. */
      color?: string | null
      /** @description The name of a built-in icon. */
      icon?: components["schemas"]["Icon"] | null
      /** @description The notebook that contains this one; null on the top level. */
      parent_id?: string | null
    }
    NotebookUpdate: {
      /** @description The name shown to people. */
      name?: string
      /** @description A color as `#rgb` or `#rrggbb`; stored with six lower-case digits. */
      color?: string | null
      /** @description The name of a built-in icon. */
      icon?: components["schemas"]["Icon"] | null
      /** @description The notebook that contains this one; null on the top level. */
      parent_id?: string | null
    }
    NotebookUpsert: {
      /**
       * @description The type of the record.
       * @constant
       */
      type: "notebook"
      /** @description The record's id. */
      id: string
      /**
       * @description The record was written. (enum property replaced by openapi-typescript)
       * @enum {string}
       */
      op: "upsert"
      /** @description The record's revision, counted from 1; a note's is its version. */
      revision: number
      /** @description The whole record. */
      data: components["schemas"]["SyncedNotebook"]
      /**
       * Format: date-time
       * @description When the record last changed.
       */
      changed_at: string
      /** @description The user who caused it; null if the server did. */
      actor_id: string | null
      /** @description The device that caused it, if known. */
      device_id: string | null
    }
    PasswordChange: {
      /** @description The current password. */
      current_password: string
      /** @description The new password, at least 10 characters. */
      new_password: string
    }
    PasswordConfirmation: {
      /** @description The password of the signed-in user. Required if the last sign-in, or the last request with it, was more than 15 minutes ago; not used for API keys. */
      current_password?: string
    }
    PasswordForgotten: {
      /** @description An e-mail address. */
      email: string
    }
    PasswordLink: {
      /** @description The page on which the user sets another password. */
      url: string
      /**
       * Format: date-time
       * @description Until when it works. It works once.
       */
      expires_at: string
    }
    PasswordReset: {
      /** @description The token from the mail. */
      token: string
      /** @description The new password, at least 10 characters. */
      new_password: string
    }
    PlanLimits: {
      /** @description Requests per minute for each credential, as applied by this server. */
      requests_per_minute: number
      /** @description Maximum number of notes in the workspace. */
      notes: number
      /** @description Maximum bytes of texts and attachments together, compared with the sum of `text_bytes` and `storage_bytes`. */
      storage_bytes: number
      /** @description Maximum of `kept_bytes`: twice `storage_bytes`. */
      kept_bytes: number
      /** @description Maximum bytes of one attachment. */
      attachment_bytes: number
      /** @description Days for which audit entries are kept. */
      audit_days: number
      /** @description Maximum number of valid API keys of a user. */
      api_keys: number
      /** @description Maximum number of devices of a user; a further one replaces the device that has not synced for the longest time. */
      devices: number
      /** @description Maximum number of notebooks in the workspace. */
      notebooks: number
      /** @description Maximum number of tags in the workspace. */
      tags: number
      /** @description Maximum number of attachments in the workspace. */
      attachments: number
      /** @description Maximum number of templates in the workspace. */
      templates: number
      /** @description Maximum number of comments in the workspace. */
      comments: number
      /** @description Maximum number of reminders in the workspace. */
      reminders: number
      /** @description Maximum number of shares in the workspace. */
      shares: number
      /** @description Maximum number of pending invitations of the workspace. */
      invitations: number
      /** @description Maximum number of invitations that a user sends in an hour. */
      invitations_per_hour: number
      /** @description Maximum number of invitations that a user sends in a day. */
      invitations_per_day: number
    }
    /** @description A problem (RFC 9457). `instance` and `request_id` are in every error response, but not in a problem inside a push result. */
    Problem: {
      /**
       * Format: uri
       * @description The URL of the explanation of the code.
       */
      type: string
      /** @description The kind of problem, for people. */
      title: string
      /** @description The status of the response. */
      status: number
      /** @description The problem with this request, for people. */
      detail: string
      /** @description The path of the request. */
      instance?: string
      /** @description The kind of problem, for programs. */
      code: components["schemas"]["ProblemCode"]
      /** @description Same as the header `Request-Id`. */
      request_id?: string
      /** @description The issues of each field, at most 100. */
      errors?: components["schemas"]["FieldIssue"][]
      /** @description The fields that the list can be sorted or filtered by. */
      allowed_fields?: string[]
      /** @description The query parameters of the operation. */
      allowed_parameters?: string[]
      /** @description The media types that the operation returns. */
      acceptable?: string[]
      /** @description The position of the error in the filter or in the JSON body, in UTF-16 code units from 0. */
      position?: number
      /** @description The scopes of which one is required. */
      required_scopes?: string[]
      /**
       * @description The lowest role that is sufficient.
       * @enum {string}
       */
      required_role?: "owner" | "admin" | "editor" | "viewer"
      /**
       * @description The plan that has the feature.
       * @enum {string}
       */
      required_plan?: "free" | "plus" | "team"
      /** @description The current version or revision; for a resource without one, its current `ETag`. */
      current_version?: number | string
      /** @description The id of the existing record. */
      existing_id?: string
      /** @description The workspaces whose last owner the user is. */
      workspaces?: {
        /** @description The id of the workspace. */
        id: string
        /** @description Its name. */
        name: string
        /** @description Its slug. */
        slug: string
      }[]
      /** @description The maximum number of bytes. */
      limit_bytes?: number
      /** @description The quota that is exceeded. */
      quota?: string
      /** @description The limit of the quota. */
      limit?: number
      /** @description The current usage. */
      used?: number
      /** @description A cursor for one more pull, instead of pulling everything. Null: pull without a cursor. */
      resync_cursor?: string | null
      /** @description The restore of the server that has ended the cursor. */
      restored?: {
        /** @description The moment of the backup: later changes are lost, unless clients send them again. Null: not known. */
        backup_at: string | null
        /**
         * Format: date-time
         * @description The moment of the restore.
         */
        restored_at: string
        /** @description Each change after the restore gives a record at least this revision. A record with a smaller one is as in the backup, and a smaller revision that it does not have is one of the lost changes. */
        least_revision: number
      }
    }
    /**
     * @description Every code that a problem can have. Later versions may add codes: for an unknown code use the status.
     * @enum {string}
     */
    ProblemCode:
      | "malformed_json"
      | "malformed_request"
      | "invalid_parameter"
      | "invalid_limit"
      | "invalid_sort"
      | "invalid_filter"
      | "invalid_cursor"
      | "cursor_mismatch"
      | "invalid_header"
      | "authentication_required"
      | "invalid_token"
      | "token_expired"
      | "token_reused"
      | "invalid_credentials"
      | "insufficient_scope"
      | "insufficient_role"
      | "plan_required"
      | "quota_exceeded"
      | "scope_not_grantable"
      | "workspace_mismatch"
      | "sign_up_closed"
      | "account_suspended"
      | "reauthentication_required"
      | "invalid_signature"
      | "forbidden"
      | "not_found"
      | "route_not_found"
      | "method_not_allowed"
      | "not_acceptable"
      | "request_timeout"
      | "already_exists"
      | "last_owner"
      | "invalid_state"
      | "attachment_not_ready"
      | "idempotency_in_progress"
      | "cursor_expired"
      | "invitation_expired"
      | "share_expired"
      | "upload_expired"
      | "restore_window_expired"
      | "precondition_failed"
      | "payload_too_large"
      | "unsupported_media_type"
      | "range_not_satisfiable"
      | "validation_failed"
      | "unknown_field"
      | "notebook_cycle"
      | "notebook_depth_exceeded"
      | "unresolved_reference"
      | "checksum_mismatch"
      | "size_mismatch"
      | "idempotency_key_reused"
      | "rate_limited"
      | "login_throttled"
      | "too_many_streams"
      | "headers_too_large"
      | "internal_error"
      | "service_unavailable"
      | "overloaded"
    PullRequest: {
      /** @description The position to continue from; without it, everything is returned. */
      cursor?: string | null
      /** @description The maximum number of changes in a page. Default: 100. */
      limit?: number
      /** @description Only records of these types. The cursor is valid only with the same types. */
      types?: components["schemas"]["SyncType"][]
      /** @description The device that syncs. An unknown device is registered. */
      device?: components["schemas"]["DeviceInput"]
      /** @description Seconds to wait for a change if there is none yet. Default: 0. */
      wait?: number
    }
    PushAnswer: {
      /** @description An opaque position, at most 2048 characters. */
      cursor: string
      /** @description The records of applied entries and of duplicates, each once, in the state after the push. A record that was erased with its tombstone has no entry. */
      changes: components["schemas"]["ChangeEntry"][]
      /** @description Whether there is another page. */
      has_more: boolean
      /** @description Pushed entries that were not written, because the server has a newer state. */
      conflicts: components["schemas"]["SyncConflict"][]
      /**
       * Format: date-time
       * @description Until when the cursor is valid.
       */
      cursor_expires_at: string
      /** @description The device that syncs, if known. */
      device_id: string | null
      /** @description The result of each pushed entry. */
      results: components["schemas"]["PushResult"][]
    }
    PushAttachment: components["schemas"]["PushAttachmentUpsert"] | components["schemas"]["PushAttachmentDelete"]
    PushAttachmentData: {
      /** @description The name of the file, at most 255 characters. */
      filename?: string
      /** @description The media type. Default: derived from the file name. */
      content_type?: string
      /** @description Bytes. */
      size?: number | null
      /** @description SHA-256 of the content, in hexadecimal. */
      sha256?: string | null
      /** @description The note that the file belongs to. */
      note_id?: string
    }
    PushAttachmentDelete: {
      /**
       * @description The type of the record.
       * @constant
       */
      type: "attachment"
      /**
       * @description Delete the record. (enum property replaced by openapi-typescript)
       * @enum {string}
       */
      op: "delete"
      /** @description The record's id, or `$` and the `client_ref` of an earlier entry. */
      id: string
      /** @description The client's id for this change, 1 to 255 visible ASCII characters. */
      mutation_id?: string
      /** @description A name by which later entries of the push refer to this record, as `$name`. */
      client_ref?: string
      /** @description The note in whose conflict this change began: the note itself for a merge, another one for its conflict copy. The activity of that note shows it. */
      conflict_of?: string
      /** @description The revision that the client edited; 0 or none creates a record. Required for a deletion. */
      revision?: number | null
      /** @description Another name of `revision`. */
      base_revision?: number | null
      /**
       * @description Not used for a deletion.
       * @constant
       */
      data?: unknown
    }
    PushAttachmentUpsert: {
      /**
       * @description The type of the record.
       * @constant
       */
      type: "attachment"
      /**
       * @description Write the record. (enum property replaced by openapi-typescript)
       * @enum {string}
       */
      op: "upsert"
      /** @description The id of the record, a new id made by the client, or `$` and the `client_ref` of an earlier entry. Optional for a new record. */
      id?: string | null
      /** @description The client's id for this change, 1 to 255 visible ASCII characters. */
      mutation_id?: string
      /** @description A name by which later entries of the push refer to this record, as `$name`. */
      client_ref?: string
      /** @description The note in whose conflict this change began: the note itself for a merge, another one for its conflict copy. The activity of that note shows it. */
      conflict_of?: string
      /** @description The revision that the client edited; 0 or none creates a record. Required for a deletion. */
      revision?: number | null
      /** @description Another name of `revision`. */
      base_revision?: number | null
      /** @description The members that change; for a new record all required members. The id of a notebook can be `$` and the `client_ref` of an earlier entry. */
      data: components["schemas"]["PushAttachmentData"]
    }
    PushComment: components["schemas"]["PushCommentUpsert"] | components["schemas"]["PushCommentDelete"]
    PushCommentData: {
      /** @description Markdown, 1 to 5000 characters. */
      body?: string
      /** @description Whether the thread is resolved; true only on the first comment of a thread. */
      resolved?: boolean
      /** @description The comment to reply to. */
      parent_id?: string | null
      /** @description The note. */
      note_id?: string
    }
    PushCommentDelete: {
      /**
       * @description The type of the record.
       * @constant
       */
      type: "comment"
      /**
       * @description Delete the record. (enum property replaced by openapi-typescript)
       * @enum {string}
       */
      op: "delete"
      /** @description The record's id, or `$` and the `client_ref` of an earlier entry. */
      id: string
      /** @description The client's id for this change, 1 to 255 visible ASCII characters. */
      mutation_id?: string
      /** @description A name by which later entries of the push refer to this record, as `$name`. */
      client_ref?: string
      /** @description The note in whose conflict this change began: the note itself for a merge, another one for its conflict copy. The activity of that note shows it. */
      conflict_of?: string
      /** @description The revision that the client edited; 0 or none creates a record. Required for a deletion. */
      revision?: number | null
      /** @description Another name of `revision`. */
      base_revision?: number | null
      /**
       * @description Not used for a deletion.
       * @constant
       */
      data?: unknown
    }
    PushCommentUpsert: {
      /**
       * @description The type of the record.
       * @constant
       */
      type: "comment"
      /**
       * @description Write the record. (enum property replaced by openapi-typescript)
       * @enum {string}
       */
      op: "upsert"
      /** @description The id of the record, a new id made by the client, or `$` and the `client_ref` of an earlier entry. Optional for a new record. */
      id?: string | null
      /** @description The client's id for this change, 1 to 255 visible ASCII characters. */
      mutation_id?: string
      /** @description A name by which later entries of the push refer to this record, as `$name`. */
      client_ref?: string
      /** @description The note in whose conflict this change began: the note itself for a merge, another one for its conflict copy. The activity of that note shows it. */
      conflict_of?: string
      /** @description The revision that the client edited; 0 or none creates a record. Required for a deletion. */
      revision?: number | null
      /** @description Another name of `revision`. */
      base_revision?: number | null
      /** @description The members that change; for a new record all required members. The id of a notebook can be `$` and the `client_ref` of an earlier entry. */
      data: components["schemas"]["PushCommentData"]
    }
    PushEntry:
      | components["schemas"]["PushNote"]
      | components["schemas"]["PushNotebook"]
      | components["schemas"]["PushTag"]
      | components["schemas"]["PushTemplate"]
      | components["schemas"]["PushAttachment"]
      | components["schemas"]["PushComment"]
      | components["schemas"]["PushReminder"]
    PushNote: components["schemas"]["PushNoteUpsert"] | components["schemas"]["PushNoteDelete"]
    PushNoteData: {
      /** @description The notebook that contains the note. */
      notebook_id?: string
      /** @description Plain text, at most 200 characters. */
      title?: string
      /** @description Markdown, at most 1 048 576 bytes in UTF-8. */
      body?: string
      /** @description Names of tags, at most 50. */
      tags?: string[]
      /** @description Pinned notes come first in lists. */
      pinned?: boolean
      /** @description Archived notes are hidden from default lists. */
      archived?: boolean
      /** @description When the user created the note, for one that was made offline: not before 1970, and not in the future. Default: now. Not used for a note that exists. */
      created_at?: string | null
    }
    PushNoteDelete: {
      /**
       * @description The type of the record.
       * @constant
       */
      type: "note"
      /**
       * @description Delete the record. (enum property replaced by openapi-typescript)
       * @enum {string}
       */
      op: "delete"
      /** @description The record's id, or `$` and the `client_ref` of an earlier entry. */
      id: string
      /** @description The client's id for this change, 1 to 255 visible ASCII characters. */
      mutation_id?: string
      /** @description A name by which later entries of the push refer to this record, as `$name`. */
      client_ref?: string
      /** @description The note in whose conflict this change began: the note itself for a merge, another one for its conflict copy. The activity of that note shows it. */
      conflict_of?: string
      /** @description The revision that the client edited; 0 or none creates a record. Required for a deletion. */
      revision?: number | null
      /** @description Another name of `revision`. */
      base_revision?: number | null
      /**
       * @description Not used for a deletion.
       * @constant
       */
      data?: unknown
    }
    PushNoteUpsert: {
      /**
       * @description The type of the record.
       * @constant
       */
      type: "note"
      /**
       * @description Write the record. (enum property replaced by openapi-typescript)
       * @enum {string}
       */
      op: "upsert"
      /** @description The id of the record, a new id made by the client, or `$` and the `client_ref` of an earlier entry. Optional for a new record. */
      id?: string | null
      /** @description The client's id for this change, 1 to 255 visible ASCII characters. */
      mutation_id?: string
      /** @description A name by which later entries of the push refer to this record, as `$name`. */
      client_ref?: string
      /** @description The note in whose conflict this change began: the note itself for a merge, another one for its conflict copy. The activity of that note shows it. */
      conflict_of?: string
      /** @description The revision that the client edited; 0 or none creates a record. Required for a deletion. */
      revision?: number | null
      /** @description Another name of `revision`. */
      base_revision?: number | null
      /** @description The members that change; for a new record all required members. The id of a notebook can be `$` and the `client_ref` of an earlier entry. */
      data: components["schemas"]["PushNoteData"]
    }
    PushNotebook: components["schemas"]["PushNotebookUpsert"] | components["schemas"]["PushNotebookDelete"]
    PushNotebookData: {
      /** @description The name shown to people. */
      name?: string
      /** @description A color as `#rgb` or `#rrggbb`; stored with six lower-case digits. */
      color?: string | null
      /** @description The name of a built-in icon. */
      icon?: components["schemas"]["Icon"] | null
      /** @description The notebook that contains this one; null on the top level. */
      parent_id?: string | null
    }
    PushNotebookDelete: {
      /**
       * @description The type of the record.
       * @constant
       */
      type: "notebook"
      /**
       * @description Delete the record. (enum property replaced by openapi-typescript)
       * @enum {string}
       */
      op: "delete"
      /** @description The record's id, or `$` and the `client_ref` of an earlier entry. */
      id: string
      /** @description The client's id for this change, 1 to 255 visible ASCII characters. */
      mutation_id?: string
      /** @description A name by which later entries of the push refer to this record, as `$name`. */
      client_ref?: string
      /** @description The note in whose conflict this change began: the note itself for a merge, another one for its conflict copy. The activity of that note shows it. */
      conflict_of?: string
      /** @description The revision that the client edited; 0 or none creates a record. Required for a deletion. */
      revision?: number | null
      /** @description Another name of `revision`. */
      base_revision?: number | null
      /**
       * @description Not used for a deletion.
       * @constant
       */
      data?: unknown
    }
    PushNotebookUpsert: {
      /**
       * @description The type of the record.
       * @constant
       */
      type: "notebook"
      /**
       * @description Write the record. (enum property replaced by openapi-typescript)
       * @enum {string}
       */
      op: "upsert"
      /** @description The id of the record, a new id made by the client, or `$` and the `client_ref` of an earlier entry. Optional for a new record. */
      id?: string | null
      /** @description The client's id for this change, 1 to 255 visible ASCII characters. */
      mutation_id?: string
      /** @description A name by which later entries of the push refer to this record, as `$name`. */
      client_ref?: string
      /** @description The note in whose conflict this change began: the note itself for a merge, another one for its conflict copy. The activity of that note shows it. */
      conflict_of?: string
      /** @description The revision that the client edited; 0 or none creates a record. Required for a deletion. */
      revision?: number | null
      /** @description Another name of `revision`. */
      base_revision?: number | null
      /** @description The members that change; for a new record all required members. The id of a notebook can be `$` and the `client_ref` of an earlier entry. */
      data: components["schemas"]["PushNotebookData"]
    }
    PushReminder: components["schemas"]["PushReminderUpsert"] | components["schemas"]["PushReminderDelete"]
    PushReminderData: {
      /** @description The note. */
      note_id?: string
      /**
       * Format: date-time
       * @description When it fires.
       */
      remind_at?: string
      /**
       * @description How its creator is notified: `push` by Web Push to the creator's devices and an event in the stream, `email` by mail, or as `push` if the server sends none, `webhook` only by the event `reminder.fired`.
       * @enum {string}
       */
      channel?: "push" | "email" | "webhook"
      /** @description Whether it has fired or was dismissed. True dismisses the reminder, false arms it again. */
      done?: boolean
    }
    PushReminderDelete: {
      /**
       * @description The type of the record.
       * @constant
       */
      type: "reminder"
      /**
       * @description Delete the record. (enum property replaced by openapi-typescript)
       * @enum {string}
       */
      op: "delete"
      /** @description The record's id, or `$` and the `client_ref` of an earlier entry. */
      id: string
      /** @description The client's id for this change, 1 to 255 visible ASCII characters. */
      mutation_id?: string
      /** @description A name by which later entries of the push refer to this record, as `$name`. */
      client_ref?: string
      /** @description The note in whose conflict this change began: the note itself for a merge, another one for its conflict copy. The activity of that note shows it. */
      conflict_of?: string
      /** @description The revision that the client edited; 0 or none creates a record. Required for a deletion. */
      revision?: number | null
      /** @description Another name of `revision`. */
      base_revision?: number | null
      /**
       * @description Not used for a deletion.
       * @constant
       */
      data?: unknown
    }
    PushReminderUpsert: {
      /**
       * @description The type of the record.
       * @constant
       */
      type: "reminder"
      /**
       * @description Write the record. (enum property replaced by openapi-typescript)
       * @enum {string}
       */
      op: "upsert"
      /** @description The id of the record, a new id made by the client, or `$` and the `client_ref` of an earlier entry. Optional for a new record. */
      id?: string | null
      /** @description The client's id for this change, 1 to 255 visible ASCII characters. */
      mutation_id?: string
      /** @description A name by which later entries of the push refer to this record, as `$name`. */
      client_ref?: string
      /** @description The note in whose conflict this change began: the note itself for a merge, another one for its conflict copy. The activity of that note shows it. */
      conflict_of?: string
      /** @description The revision that the client edited; 0 or none creates a record. Required for a deletion. */
      revision?: number | null
      /** @description Another name of `revision`. */
      base_revision?: number | null
      /** @description The members that change; for a new record all required members. The id of a notebook can be `$` and the `client_ref` of an earlier entry. */
      data: components["schemas"]["PushReminderData"]
    }
    PushRequest: {
      /** @description The device that syncs. An unknown device is registered. */
      device?: components["schemas"]["DeviceInput"]
      /** @description At most 500 entries, applied in their order. */
      changes: components["schemas"]["PushEntry"][]
    }
    PushResult:
      | components["schemas"]["PushResultApplied"]
      | components["schemas"]["PushResultDuplicate"]
      | components["schemas"]["PushResultConflict"]
      | components["schemas"]["PushResultRejected"]
    PushResultApplied: {
      /** @description The index of the pushed entry, counted from 0. */
      index: number
      /** @description The client's id for this change, 1 to 255 visible ASCII characters. */
      mutation_id: string | null
      /** @description The type of the record. */
      type: components["schemas"]["SyncType"]
      /** @description The record's id. */
      id: string
      /**
       * @description The result. (enum property replaced by openapi-typescript)
       * @enum {string}
       */
      status: "applied"
      /** @description The current revision of the record. */
      revision: number
    }
    PushResultConflict: {
      /** @description The index of the pushed entry, counted from 0. */
      index: number
      /** @description The client's id for this change, 1 to 255 visible ASCII characters. */
      mutation_id: string | null
      /** @description The type of the record. */
      type: components["schemas"]["SyncType"]
      /** @description The record's id. */
      id: string
      /**
       * @description The result. (enum property replaced by openapi-typescript)
       * @enum {string}
       */
      status: "conflict"
      /** @description The current revision of the record; null if there is none or it is unknown. */
      revision: number | null
    }
    PushResultDuplicate: {
      /** @description The index of the pushed entry, counted from 0. */
      index: number
      /** @description The client's id for this change, 1 to 255 visible ASCII characters. */
      mutation_id: string | null
      /** @description The type of the record. */
      type: components["schemas"]["SyncType"]
      /** @description The record's id. */
      id: string
      /**
       * @description The result. (enum property replaced by openapi-typescript)
       * @enum {string}
       */
      status: "duplicate"
      /** @description The current revision of the record. */
      revision: number
    }
    PushResultRejected: {
      /** @description The index of the pushed entry, counted from 0. */
      index: number
      /** @description The client's id for this change, 1 to 255 visible ASCII characters. */
      mutation_id: string | null
      /** @description The type of the record, if known. */
      type: string | null
      /** @description The id of the record, if known. */
      id: string | null
      /**
       * @description The result. (enum property replaced by openapi-typescript)
       * @enum {string}
       */
      status: "rejected"
      /** @description The current revision of the record; null if there is none or it is unknown. */
      revision: number | null
      /** @description The problem of a rejected entry. */
      error: components["schemas"]["Problem"]
    }
    PushSubscribe: {
      /** @description The address of the push service for this subscription: an https URL of a public host. */
      endpoint: string
      /** @description The keys for encrypting messages to it (RFC 8291). */
      keys: {
        /** @description The browser's public key. */
        p256dh: string
        /** @description Its authentication secret. */
        auth: string
      }
      /** @description Accepted and not used: the push service reports when a subscription has ended. */
      expirationTime?: unknown
    }
    PushSubscription: {
      /** @description The `applicationServerKey` for the subscription of a browser, in base64url. */
      public_key: string
      /** @description The endpoint of the subscription; null if the device is not subscribed. */
      endpoint: string | null
    }
    PushTag: components["schemas"]["PushTagUpsert"] | components["schemas"]["PushTagDelete"]
    PushTagDelete: {
      /**
       * @description The type of the record.
       * @constant
       */
      type: "tag"
      /**
       * @description Delete the record. (enum property replaced by openapi-typescript)
       * @enum {string}
       */
      op: "delete"
      /** @description The record's id, or `$` and the `client_ref` of an earlier entry. */
      id: string
      /** @description The client's id for this change, 1 to 255 visible ASCII characters. */
      mutation_id?: string
      /** @description A name by which later entries of the push refer to this record, as `$name`. */
      client_ref?: string
      /** @description The note in whose conflict this change began: the note itself for a merge, another one for its conflict copy. The activity of that note shows it. */
      conflict_of?: string
      /** @description The revision that the client edited; 0 or none creates a record. Required for a deletion. */
      revision?: number | null
      /** @description Another name of `revision`. */
      base_revision?: number | null
      /**
       * @description Not used for a deletion.
       * @constant
       */
      data?: unknown
    }
    PushTagUpsert: {
      /**
       * @description The type of the record.
       * @constant
       */
      type: "tag"
      /**
       * @description Write the record. (enum property replaced by openapi-typescript)
       * @enum {string}
       */
      op: "upsert"
      /** @description The id of the record, a new id made by the client, or `$` and the `client_ref` of an earlier entry. Optional for a new record. */
      id?: string | null
      /** @description The client's id for this change, 1 to 255 visible ASCII characters. */
      mutation_id?: string
      /** @description A name by which later entries of the push refer to this record, as `$name`. */
      client_ref?: string
      /** @description The note in whose conflict this change began: the note itself for a merge, another one for its conflict copy. The activity of that note shows it. */
      conflict_of?: string
      /** @description The revision that the client edited; 0 or none creates a record. Required for a deletion. */
      revision?: number | null
      /** @description Another name of `revision`. */
      base_revision?: number | null
      /** @description The members that change; for a new record all required members. The id of a notebook can be `$` and the `client_ref` of an earlier entry. */
      data: components["schemas"]["TagUpdate"]
    }
    PushTemplate: components["schemas"]["PushTemplateUpsert"] | components["schemas"]["PushTemplateDelete"]
    PushTemplateDelete: {
      /**
       * @description The type of the record.
       * @constant
       */
      type: "template"
      /**
       * @description Delete the record. (enum property replaced by openapi-typescript)
       * @enum {string}
       */
      op: "delete"
      /** @description The record's id, or `$` and the `client_ref` of an earlier entry. */
      id: string
      /** @description The client's id for this change, 1 to 255 visible ASCII characters. */
      mutation_id?: string
      /** @description A name by which later entries of the push refer to this record, as `$name`. */
      client_ref?: string
      /** @description The note in whose conflict this change began: the note itself for a merge, another one for its conflict copy. The activity of that note shows it. */
      conflict_of?: string
      /** @description The revision that the client edited; 0 or none creates a record. Required for a deletion. */
      revision?: number | null
      /** @description Another name of `revision`. */
      base_revision?: number | null
      /**
       * @description Not used for a deletion.
       * @constant
       */
      data?: unknown
    }
    PushTemplateUpsert: {
      /**
       * @description The type of the record.
       * @constant
       */
      type: "template"
      /**
       * @description Write the record. (enum property replaced by openapi-typescript)
       * @enum {string}
       */
      op: "upsert"
      /** @description The id of the record, a new id made by the client, or `$` and the `client_ref` of an earlier entry. Optional for a new record. */
      id?: string | null
      /** @description The client's id for this change, 1 to 255 visible ASCII characters. */
      mutation_id?: string
      /** @description A name by which later entries of the push refer to this record, as `$name`. */
      client_ref?: string
      /** @description The note in whose conflict this change began: the note itself for a merge, another one for its conflict copy. The activity of that note shows it. */
      conflict_of?: string
      /** @description The revision that the client edited; 0 or none creates a record. Required for a deletion. */
      revision?: number | null
      /** @description Another name of `revision`. */
      base_revision?: number | null
      /** @description The members that change; for a new record all required members. The id of a notebook can be `$` and the `client_ref` of an earlier entry. */
      data: components["schemas"]["TemplateUpdate"]
    }
    Refresh: {
      /** @description The token that gets new tokens. It can be used once. */
      refresh_token: string
    }
    Register: {
      /**
       * Format: idn-email
       * @description An e-mail address.
       */
      email: string
      /** @description At least 10 characters. */
      password: string
      /** @description The name shown to people. Default: the first part of the address. */
      name?: string
      /** @description A BCP 47 language tag. */
      locale?: string
      /** @description An IANA time zone. */
      timezone?: string
      /** @description The token of an invitation to this address. Registering accepts the invitation. */
      invitation_token?: string
      /** @description The device to sign in on. */
      device?: {
        /** @description The name shown to people. */
        name?: string
        /** @description The platform of the device. */
        platform?: string
        /** @description The language of the device. A new account without one gets it, and an account at its first sign-in. An invalid one is ignored. */
        locale?: string
        /** @description The time zone of the device. A new account without one gets it, and an account at its first sign-in. An unknown one is ignored. */
        timezone?: string
      }
    }
    Reminder: {
      /** @description The record's id. */
      id: string
      /** @description The note. */
      note_id: string
      /**
       * Format: date-time
       * @description When it fires.
       */
      remind_at: string
      /**
       * @description How its creator is notified: `push` by Web Push to the creator's devices and an event in the stream, `email` by mail, or as `push` if the server sends none, `webhook` only by the event `reminder.fired`.
       * @enum {string}
       */
      channel: "push" | "email" | "webhook"
      /** @description Whether it has fired or was dismissed. True dismisses the reminder, false arms it again. */
      done: boolean
      /** @description The user who created it and is notified. */
      user_id: string
      /**
       * Format: date-time
       * @description When it was created.
       */
      created_at: string
      /**
       * Format: date-time
       * @description When it was last changed.
       */
      updated_at: string
    }
    ReminderChange: components["schemas"]["ReminderUpsert"] | components["schemas"]["ReminderDelete"]
    ReminderChannels: {
      /** @description Whether a device of the caller is registered for Web Push. */
      push: boolean
      /** @description Whether the server sends mail. If not, a reminder by `email` notifies as `push` does, and the mail stays on the server. */
      email: boolean
      /** @description Whether an active webhook of the workspace receives `reminder.fired`. */
      webhook: boolean
    }
    ReminderConflict: {
      /**
       * @description The type of the record. (enum property replaced by openapi-typescript)
       * @enum {string}
       */
      type: "reminder"
      /** @description The record's id. */
      id: string
      /**
       * @description Why the change was not written.
       * @enum {string}
       */
      reason: "stale_revision" | "deleted_on_server" | "already_exists" | "unknown_revision"
      /** @description The client's id for this change, 1 to 255 visible ASCII characters. */
      mutation_id: string | null
      /** @description The revision on the server. */
      revision: number | null
      /** @description The revision that the client edited. */
      client_revision: number
      /** @description The record on the server. */
      server: components["schemas"]["ReminderChange"] | null
      /** @description The entry that was pushed. */
      client: components["schemas"]["PushReminder"]
      /** @description The record at `client_revision`, if it is still known. */
      base: {
        /** @description Its revision. */
        revision: number
        /** @description The whole record. */
        data: components["schemas"]["Reminder"]
      } | null
    }
    ReminderCreate: {
      /** @description The note. */
      note_id: string
      /**
       * Format: date-time
       * @description When it fires.
       */
      remind_at: string
      /**
       * @description How its creator is notified: `push` by Web Push to the creator's devices and an event in the stream, `email` by mail, or as `push` if the server sends none, `webhook` only by the event `reminder.fired`.
       * @enum {string}
       */
      channel?: "push" | "email" | "webhook"
      /** @description Whether it has fired or was dismissed. True dismisses the reminder, false arms it again. */
      done?: boolean
    }
    ReminderDelete: {
      /**
       * @description The type of the record.
       * @constant
       */
      type: "reminder"
      /** @description The record's id. */
      id: string
      /**
       * @description The record was deleted. (enum property replaced by openapi-typescript)
       * @enum {string}
       */
      op: "delete"
      /** @description The record's revision, counted from 1; a note's is its version. */
      revision: number
      /**
       * @description Null: the record was deleted.
       * @constant
       */
      data: unknown
      /**
       * Format: date-time
       * @description When the record last changed.
       */
      changed_at: string
      /** @description The user who caused it; null if the server did. */
      actor_id: string | null
      /** @description The device that caused it, if known. */
      device_id: string | null
    }
    ReminderPage: {
      /** @description The resources of this page. */
      data: components["schemas"]["Reminder"][]
      /** @description Whether there is another page. */
      has_more: boolean
      /** @description The `cursor` of the next page, else null. */
      next_cursor: string | null
    }
    ReminderUpdate: {
      /** @description The note. */
      note_id?: string
      /**
       * Format: date-time
       * @description When it fires.
       */
      remind_at?: string
      /**
       * @description How its creator is notified: `push` by Web Push to the creator's devices and an event in the stream, `email` by mail, or as `push` if the server sends none, `webhook` only by the event `reminder.fired`.
       * @enum {string}
       */
      channel?: "push" | "email" | "webhook"
      /** @description Whether it has fired or was dismissed. True dismisses the reminder, false arms it again. */
      done?: boolean
    }
    ReminderUpsert: {
      /**
       * @description The type of the record.
       * @constant
       */
      type: "reminder"
      /** @description The record's id. */
      id: string
      /**
       * @description The record was written. (enum property replaced by openapi-typescript)
       * @enum {string}
       */
      op: "upsert"
      /** @description The record's revision, counted from 1; a note's is its version. */
      revision: number
      /** @description The whole record. */
      data: components["schemas"]["Reminder"]
      /**
       * Format: date-time
       * @description When the record last changed.
       */
      changed_at: string
      /** @description The user who caused it; null if the server did. */
      actor_id: string | null
      /** @description The device that caused it, if known. */
      device_id: string | null
    }
    RenderedNote: {
      /** @description The record's id. */
      id: string
      /** @description The number of the version; each change increases it by one. */
      version: number
      /** @description Safe HTML, without scripts and styles. Addresses of files are signed, and valid for at most 15 minutes. Links to other notes lead to `#note:` and the id, with `#` and the id of an element if they lead to a heading or block; links without a note lead to `#missing:` and the percent-encoded target as written. */
      html: string
      /** @description The language that the front matter states (BCP 47), else that of the script, such as `ja` or `ko`; null if neither shows it. */
      lang: string | null
      /** @description Whether it is the plain text, because the note is beyond the limits of rendering. */
      is_plain: boolean
    }
    RevokedSessions: {
      /** @description The number of sessions that were ended. */
      revoked: number
    }
    /** @enum {string} */
    Scope:
      | "notes:read"
      | "notes:write"
      | "files:read"
      | "files:write"
      | "keys:read"
      | "keys:write"
      | "members:read"
      | "members:write"
      | "export:read"
      | "export:write"
      | "audit:read"
      | "webhooks:read"
      | "webhooks:write"
      | "profile"
      | "admin:read"
      | "admin:write"
      | "audit"
    SearchHit: {
      /** @description The note's id. */
      id: string
      /** @description The notebook that contains the note. */
      notebook_id: string
      /** @description Plain text, at most 200 characters. */
      title: string
      /** @description Names of tags, at most 50. */
      tags: string[]
      /** @description Pinned notes come first in lists. */
      pinned: boolean
      /** @description Archived notes are hidden from default lists. */
      archived: boolean
      /** @description The number of the version; each change increases it by one. */
      version: number
      /** @description Words in the body, counted by the server. */
      word_count: number
      /**
       * Format: date-time
       * @description When it was created.
       */
      created_at: string
      /**
       * Format: date-time
       * @description When it was last changed.
       */
      updated_at: string
      /**
       * Format: date-time
       * @description When it was moved to the trash. Only notes in the trash have this member.
       */
      deleted_at?: string
      /** @description How well the note matches. */
      score: number
      /** @description The best fragment, as escaped HTML with matches in `<mark>`. */
      snippet: string
      /** @description Where the matches are. */
      highlights: {
        /**
         * @description The member of the note.
         * @enum {string}
         */
        field: "title" | "body" | "tags"
        /** @description The index of the tag, counted from 0; only for tags. */
        index?: number
        /** @description The best fragment, as escaped HTML with matches in `<mark>`. */
        snippet: string
        /** @description Positions in the raw value of the member, in UTF-16 code units. */
        matches: {
          /** @description The start of the match. */
          start: number
          /** @description The length of the match. */
          length: number
        }[]
      }[]
      /** @description With `explain`: the terms that matched the note. */
      explanation?: components["schemas"]["MatchedTerm"][]
    }
    SearchRequest: {
      /** @description The words to search for. */
      query: string
      /** @description Only notes in this notebook. */
      notebook_id?: string
      /** @description Whether notebooks inside `notebook_id` are included. Default: true. */
      include_subnotebooks?: boolean
      /** @description Only notes with these tags. */
      tags?: string[]
      /**
       * @description Whether a note must have `all` of the tags or `any` of them. Default: `all`.
       * @enum {string}
       */
      tags_match?: "all" | "any"
      /** @description Created at or after this RFC 3339 time or date. */
      created_after?: string
      /** @description Created at or before this RFC 3339 time, or before this date. */
      created_before?: string
      /** @description Changed at or after this RFC 3339 time or date. */
      updated_after?: string
      /** @description Changed at or before this RFC 3339 time, or before this date. */
      updated_before?: string
      /** @description Another name of `updated_after`. */
      date_from?: string
      /** @description As `updated_before`, but the day of a date is included. */
      date_to?: string
      /** @description `true`: only archived notes; `false`: without archived notes; `null`: both. Default: `false`. */
      archived?: boolean | null
      /** @description The same filters in a nested object. */
      filters?: {
        /** @description Only notes in this notebook. */
        notebook_id?: string
        /** @description Whether notebooks inside `notebook_id` are included. Default: true. */
        include_subnotebooks?: boolean
        /** @description Only notes with these tags. */
        tags?: string[]
        /**
         * @description Whether a note must have `all` of the tags or `any` of them. Default: `all`.
         * @enum {string}
         */
        tags_match?: "all" | "any"
        /** @description Created at or after this RFC 3339 time or date. */
        created_after?: string
        /** @description Created at or before this RFC 3339 time, or before this date. */
        created_before?: string
        /** @description Changed at or after this RFC 3339 time or date. */
        updated_after?: string
        /** @description Changed at or before this RFC 3339 time, or before this date. */
        updated_before?: string
        /** @description Another name of `updated_after`. */
        date_from?: string
        /** @description As `updated_before`, but the day of a date is included. */
        date_to?: string
        /** @description `true`: only archived notes; `false`: without archived notes; `null`: both. Default: `false`. */
        archived?: boolean | null
      }
      /** @description The maximum number of hits in a page. Default: 20. */
      limit?: number
      /** @description `next_cursor` of the previous page. */
      cursor?: string | null
      /**
       * @description `relevance` (default) or a field, with `-` before it for descending order.
       * @enum {string}
       */
      sort?:
        | "relevance"
        | "updated_at"
        | "-updated_at"
        | "created_at"
        | "-created_at"
        | "title"
        | "-title"
        | "word_count"
        | "-word_count"
      /** @description Whether each hit lists the terms that it matched. */
      explain?: boolean
    }
    SearchResult: {
      /** @description The words to search for. */
      query: string
      /** @description The notes found, without their bodies. */
      hits: components["schemas"]["SearchHit"][]
      /** @description How many notes match. */
      total: number
      /** @description Duration in milliseconds. */
      took_ms: number
      /** @description The query of these hits, when the sent query has none: its likeliest correction, or the same with its phrases as words. */
      suggestion?: string
      /** @description `true`: the index does not have all notes, and only the newest were searched. Absent otherwise. */
      partial?: boolean
      /** @description Whether there is another page. */
      has_more: boolean
      /** @description The `cursor` of the next page, else null. */
      next_cursor: string | null
    }
    SearchState: {
      /** @description Number of search indexes in memory. */
      indexes: number
      /** @description Bytes of memory that they use, approximately. */
      memory_bytes: number
      /** @description Maximum bytes of memory of all indexes (SEARCH_MEMORY). */
      memory_limit_bytes: number
      /** @description Number of their files. */
      files: number
      /** @description Bytes of their files. */
      file_bytes: number
    }
    Series: {
      /**
       * @description The measurement. Later versions may have more.
       *     - `requests`: Requests, without `/healthz`, `/readyz` and `/metrics`.
       *     - `refused`: Requests with a status of 400 to 499.
       *     - `errors`: Requests with a status of 500 or more.
       *     - `open_streams`: Open event streams of all nodes, on average.
       *     - `stream_lag`: For how long live clients have missed committed changes.
       *     - `search_lag`: For how long the search indexes in memory have missed changes; up to 2 is usual.
       *     - `mails_waiting`: Mails that are to be sent.
       *     - `transfers_waiting`: Exports and imports that are not finished.
       *     - `webhook_deliveries_waiting`: Deliveries of webhooks that are to be sent.
       *     - `reminder_pushes_waiting`: Messages of reminders that are to be sent.
       *     - `mails_overdue`: How long the oldest due mail has waited.
       *     - `transfers_overdue`: How long the oldest due export or import has waited.
       *     - `webhook_deliveries_overdue`: How long the oldest due delivery of a webhook has waited.
       *     - `reminder_pushes_overdue`: How long the oldest due message of a reminder has waited.
       *     - `file_bytes`: Bytes of attachments in all workspaces.
       *     - `text_bytes`: Bytes of the texts of notes, their history and templates in all workspaces.
       *     - `database_bytes`: Size of the database.
       *     - `memory_bytes`: Resident memory of the node that uses most.
       *     - `latency_p50`: The duration of 50 % of the requests of the API was at most this; without files and pulls.
       *     - `latency_p95`: The duration of 95 % of the requests of the API was at most this; without files and pulls.
       *     - `latency_p99`: The duration of 99 % of the requests of the API was at most this; without files and pulls.
       * @enum {string}
       */
      name:
        | "requests"
        | "refused"
        | "errors"
        | "open_streams"
        | "stream_lag"
        | "search_lag"
        | "mails_waiting"
        | "transfers_waiting"
        | "webhook_deliveries_waiting"
        | "reminder_pushes_waiting"
        | "mails_overdue"
        | "transfers_overdue"
        | "webhook_deliveries_overdue"
        | "reminder_pushes_overdue"
        | "file_bytes"
        | "text_bytes"
        | "database_bytes"
        | "memory_bytes"
        | "latency_p50"
        | "latency_p95"
        | "latency_p99"
      /**
       * @description The unit of the values. `requests` is a number for each step, the others do not depend on the step.
       * @enum {string}
       */
      unit: "requests" | "streams" | "rows" | "bytes" | "seconds"
      /** @description A value for each step from `from` on, over all nodes; null if nothing was measured. */
      values: (number | null)[]
    }
    SeriesReport: {
      /**
       * @description The time: 60 minutes, 24 hours, 30 days or 365 days, up to now.
       * @enum {string}
       */
      range: "hour" | "day" | "month" | "year"
      /**
       * Format: date-time
       * @description When the first step begins.
       */
      from: string
      /**
       * Format: date-time
       * @description The end of the last complete minute. If the last step ends later, its value is not final.
       */
      to: string
      /** @description The length of a step in seconds. Days are those of UTC. */
      step_seconds: number
      /** @description The series, each with the same number of values. */
      series: components["schemas"]["Series"][]
    }
    ServerBackup: {
      /** @description The record's id. */
      id: string
      /**
       * @description Whether the schedule began it.
       * @enum {string}
       */
      kind: "scheduled" | "manual"
      /** @description The file, or the object in a bucket. */
      target: string
      /** @description Whether it is encrypted (age). */
      encrypted: boolean
      /** @description Its size; null while it runs, or if it failed. */
      bytes: number | null
      /** @description Why it failed; else null. */
      error: string | null
      /**
       * Format: date-time
       * @description When it began.
       */
      started_at: string
      /** @description When it ended; null while it runs, and after its process was killed. */
      ended_at: string | null
    }
    ServerBackupPage: {
      /** @description The resources of this page. */
      data: components["schemas"]["ServerBackup"][]
      /** @description Whether there is another page. */
      has_more: boolean
      /** @description The `cursor` of the next page, else null. */
      next_cursor: string | null
    }
    ServerJob: {
      /** @description The id of the export or import. */
      id: string
      /**
       * @description The kind of job.
       * @enum {string}
       */
      kind: "export" | "import"
      /** @description The workspace that it reads or writes. */
      workspace_id: string
      /** @description The slug of the workspace. */
      workspace: string
      /**
       * @description Its state. `retrying`: a try failed, and another one follows at `next_at`.
       * @enum {string}
       */
      state: "awaiting_file" | "queued" | "running" | "retrying" | "failed" | "done"
      /** @description From 0 to 1. */
      progress: number
      /** @description Number of tries of a job that has not ended. */
      attempts: number
      /** @description When the next try begins; null if none is due. */
      next_at: string | null
      /** @description Why it failed; for an import its last problem. */
      error: string | null
      /**
       * Format: date-time
       * @description When it was created.
       */
      created_at: string
    }
    ServerJobPage: {
      /** @description The resources of this page. */
      data: components["schemas"]["ServerJob"][]
      /** @description Whether there is another page. */
      has_more: boolean
      /** @description The `cursor` of the next page, else null. */
      next_cursor: string | null
    }
    ServerMail: {
      /** @description The id of the mail, which is also in its Message-ID. */
      id: string
      /** @description The address that it goes to. */
      recipient: string
      /**
       * @description `retrying`: a try failed, and another one follows. `failed`: it was given up.
       * @enum {string}
       */
      state: "waiting" | "retrying" | "failed"
      /** @description Number of tries. */
      attempts: number
      /** @description When the next try begins; null if none does. */
      next_at: string | null
      /** @description Why it was given up: a code of SMTP or of the system; else null. */
      error: string | null
      /**
       * Format: date-time
       * @description When it was created.
       */
      created_at: string
    }
    ServerMailPage: {
      /** @description The resources of this page. */
      data: components["schemas"]["ServerMail"][]
      /** @description Whether there is another page. */
      has_more: boolean
      /** @description The `cursor` of the next page, else null. */
      next_cursor: string | null
    }
    ServerNode: {
      /** @description The id of the process. */
      id: string
      /** @description The name of its machine. */
      host: string
      /** @description The address that it listens on. */
      address: string
      /** @description Its version of Sheaf. */
      version: string
      /** @description Bytes of memory that it uses. */
      memory_bytes: number
      /**
       * Format: date-time
       * @description When it started.
       */
      started_at: string
      /**
       * Format: date-time
       * @description When it last reported. A node that has not reported for a minute is no longer listed.
       */
      seen_at: string
    }
    ServerNodes: {
      /** @description The running nodes, the oldest first. */
      data: components["schemas"]["ServerNode"][]
    }
    ServerSetting: {
      /** @description The environment variable. */
      name: string
      /** @description Its value; `(hidden)` for a secret, null if it is not set and has no default. */
      value: string | number | null
      /** @description `environment`, `default`, or the path of a file. */
      source: string
    }
    ServerSettings: {
      /** @description All settings of the node of the request. */
      data: components["schemas"]["ServerSetting"][]
    }
    ServerStatus: {
      /** @description The version of the node of the request. */
      version: string
      /** @description The changes of the versions since the first, in Markdown; null if the package has none. */
      release_notes: string | null
      /** @description The address of the server (PUBLIC_URL). */
      public_url: string
      /** @description Number of running nodes. */
      nodes: number
      /** @description The version of PostgreSQL. */
      postgres_version: string
      /** @description Bytes of the database. */
      database_bytes: number
      /** @description Number of users. */
      users: number
      /** @description Number of workspaces that are not deleted. */
      workspaces: number
      /** @description Number of notes, without those in the trash. */
      notes: number
      /** @description Number of stored files. */
      files: number
      /** @description Bytes of stored files. */
      file_bytes: number
      /** @description Free bytes on the disk of DATA_DIR. */
      disk_free_bytes: number
      /** @description Whether mail reaches its recipients (SMTP_URL). If not, it is in DATA_DIR/outbox. */
      mail: boolean
      /** @description Number of mails that were given up in the last 7 days. */
      mails_failed: number
      /** @description Number of exports and imports that have failed, of those that are kept. */
      jobs_failed: number
      /** @description The search indexes of the node of the request. */
      search: components["schemas"]["SearchState"]
      /** @description The plan of backups; null without BACKUP_TO. */
      backups: components["schemas"]["BackupPlan"] | null
    }
    ServerUser: {
      /** @description The record's id. */
      id: string
      /** @description An e-mail address. */
      email: string
      /** @description Whether the user has shown that they read mail to the address, or an operator set it. */
      email_confirmed: boolean
      /** @description The name shown to people. */
      name: string
      /** @description Whether the user may administer the server, with the scopes `admin:read` and `admin:write`. */
      operator: boolean
      /** @description Whether the user can sign in. */
      has_password: boolean
      /** @description Number of sessions that have not ended. */
      sessions: number
      /** @description Number of workspaces of which the user is a member. */
      workspaces: number
      /** @description The user's personal workspace. */
      workspace_id: string
      /** @description When a session of the user was last used; null without a session. */
      last_active_at: string | null
      /** @description Since when all credentials of the user are refused; else null. */
      suspended_at: string | null
      /**
       * Format: date-time
       * @description When it was created.
       */
      created_at: string
    }
    ServerUserCreate: {
      /**
       * Format: idn-email
       * @description An e-mail address.
       */
      email: string
      /** @description The name shown to people. Default: the first part of the address. */
      name?: string
      /** @description The new password, at least 10 characters. */
      password: string
      /**
       * @description The plan of the personal workspace. Default: `free`.
       * @enum {string}
       */
      plan?: "free" | "plus" | "team"
      /** @description The password of the signed-in user. Required if the last sign-in, or the last request with it, was more than 15 minutes ago; not used for API keys. */
      current_password?: string
    }
    ServerUserPage: {
      /** @description The resources of this page. */
      data: components["schemas"]["ServerUser"][]
      /** @description Whether there is another page. */
      has_more: boolean
      /** @description The `cursor` of the next page, else null. */
      next_cursor: string | null
    }
    ServerUserUpdate: {
      /**
       * Format: idn-email
       * @description Another address, which counts as confirmed.
       */
      email?: string
      /** @description The name shown to people. */
      name?: string
      /** @description Whether the user may administer the server, with the scopes `admin:read` and `admin:write`. */
      operator?: boolean
      /** @description Whether all credentials of the user are refused. Nothing of the user is deleted. */
      suspended?: boolean
      /** @description The password of the signed-in user. Required if the last sign-in, or the last request with it, was more than 15 minutes ago; not used for API keys. */
      current_password?: string
    }
    ServerWorkspace: {
      /** @description The record's id. */
      id: string
      /** @description The name shown to people. */
      name: string
      /** @description The unique name of the workspace in addresses. */
      slug: string
      /**
       * @description The plan of the workspace.
       * @enum {string}
       */
      plan: "free" | "plus" | "team"
      /** @description Number of paid seats. */
      seats: number
      /** @description Whether it is the personal workspace of a user, which ends with the user. */
      personal: boolean
      /** @description Number of members. */
      members: number
      /** @description Number of notes, without those in the trash. */
      notes: number
      /** @description Bytes of attachments, including those of notes in the trash. */
      storage_bytes: number
      /** @description Bytes of the texts of notes, with their history, and templates. */
      text_bytes: number
      /** @description Bytes that it keeps in all, at most twice the storage of its plan: texts, and files as they are stored, also those of imports and exports, deleted ones that are not removed yet, and the room for files that are being received. */
      kept_bytes: number
      /** @description When it was deleted; else null. It can be restored for 30 days. */
      deleted_at: string | null
      /** @description When its erasure was requested, which follows within two hours; else null. */
      purge_at: string | null
      /**
       * Format: date-time
       * @description When it was created.
       */
      created_at: string
    }
    ServerWorkspacePage: {
      /** @description The resources of this page. */
      data: components["schemas"]["ServerWorkspace"][]
      /** @description Whether there is another page. */
      has_more: boolean
      /** @description The `cursor` of the next page, else null. */
      next_cursor: string | null
    }
    ServerWorkspaceUpdate: {
      /**
       * @description The plan of the workspace.
       * @enum {string}
       */
      plan?: "free" | "plus" | "team"
      /** @description Number of paid seats. */
      seats?: number
    }
    Session: {
      /** @description The record's id. */
      id: string
      /** @description The device of the session. */
      device: components["schemas"]["SessionDevice"]
      /** @description The User-Agent of the client, shortened; null if it sent none. */
      user_agent: string | null
      /** @description The IP address of the caller; null if the server did it. */
      ip: string | null
      /** @description Whether it is the device of this request. */
      current: boolean
      /**
       * Format: date-time
       * @description When it was last used.
       */
      last_active_at: string
      /**
       * Format: date-time
       * @description When it was created.
       */
      created_at: string
      /**
       * Format: date-time
       * @description When it ends, unless its tokens are refreshed before: at most 365 days after `created_at`.
       */
      expires_at: string
    }
    SessionDevice: {
      /** @description The device's id. */
      id: string
      /** @description The name shown to people. */
      name: string
      /** @description The platform of the device. */
      platform: string
    }
    SessionPage: {
      /** @description The resources of this page. */
      data: components["schemas"]["Session"][]
      /** @description Whether there is another page. */
      has_more: boolean
      /** @description The `cursor` of the next page, else null. */
      next_cursor: string | null
    }
    Share: {
      /** @description The record's id. */
      id: string
      /** @description The note that it shows. */
      note_id: string
      /** @description Whether readers need a password. `false` removes the password. */
      password_protected: boolean
      /** @description Whether the share shows a single line break of the text as a line break, as note apps do. */
      breaks: boolean
      /** @description Until when the link is valid; null if it does not expire. */
      expires_at: string | null
      /** @description The user who made it, or the admin who kept it after that user left. */
      created_by: string | null
      /**
       * Format: date-time
       * @description When it was created.
       */
      created_at: string
      /** @description The public link. Anyone who has it can read the note, with the password if there is one. Null after the server's secret key was lost: the link is still valid, but the server can no longer show it. */
      url: string | null
      /** @description How often the note was read through the link. It may be a few seconds behind; a view does not change the share. */
      view_count: number
    }
    ShareCreate: {
      /** @description The note to share. It cannot be changed later. */
      note_id: string
      /** @description The password that readers must enter, 8 to 128 characters. It is never shown. Null: none. */
      password?: string | null
      /** @description Whether readers need a password. `false` removes the password. */
      password_protected?: boolean
      /** @description Whether the share shows a single line break of the text as a line break, as note apps do. */
      breaks?: boolean
      /** @description Until when the link is valid, a time in the future; null if it does not expire. */
      expires_at?: string | null
      /** @description Accepted and not used. */
      url?: unknown
    }
    SharePage: {
      /** @description The resources of this page. */
      data: components["schemas"]["Share"][]
      /** @description Whether there is another page. */
      has_more: boolean
      /** @description The `cursor` of the next page, else null. */
      next_cursor: string | null
    }
    ShareUpdate: {
      /** @description The password that readers must enter, 8 to 128 characters. It is never shown. Null: none. */
      password?: string | null
      /** @description Whether readers need a password. `false` removes the password. */
      password_protected?: boolean
      /** @description Whether the share shows a single line break of the text as a line break, as note apps do. */
      breaks?: boolean
      /** @description Until when the link is valid, a time in the future; null if it does not expire. */
      expires_at?: string | null
      /** @description Accepted and not used. */
      url?: unknown
      /** @description Accepted and not used. */
      note_id?: unknown
    }
    StreamData:
      | components["schemas"]["ChangeEntry"]
      | components["schemas"]["StreamPosition"]
      | components["schemas"]["Reminder"]
      | components["schemas"]["StreamEnd"]
    StreamEnd: {
      /**
       * @description Why the server ends the stream.
       * @enum {string}
       */
      reason: "shutdown" | "token_expired" | "revoked" | "slow" | "restored"
    }
    StreamPosition: {
      /** @description An opaque position, at most 2048 characters. */
      cursor: string
    }
    Suggestion: {
      /**
       * @description Whether it is a tag or a title.
       * @enum {string}
       */
      type: "tag" | "title"
      /** @description The completed tag or title. */
      text: string
      /** @description The id of the tag or note. */
      id: string
    }
    SuggestionPage: {
      /** @description The resources of this page. */
      data: components["schemas"]["Suggestion"][]
      /** @description Whether there is another page. */
      has_more: boolean
      /** @description The `cursor` of the next page, else null. */
      next_cursor: string | null
      /** @description The prefix that was completed. */
      query: string
      /** @description Duration in milliseconds. */
      took_ms: number
    }
    SyncConflict:
      | components["schemas"]["NoteConflict"]
      | components["schemas"]["NotebookConflict"]
      | components["schemas"]["TagConflict"]
      | components["schemas"]["TemplateConflict"]
      | components["schemas"]["AttachmentConflict"]
      | components["schemas"]["CommentConflict"]
      | components["schemas"]["ReminderConflict"]
    SyncObject: {
      /** @description An opaque position, at most 2048 characters. */
      cursor: string
      /** @description Change entries. */
      changes: components["schemas"]["ChangeEntry"][]
      /** @description Whether there is another page. */
      has_more: boolean
      /** @description Always empty here: only a push has conflicts. */
      conflicts: components["schemas"]["SyncConflict"][]
      /**
       * Format: date-time
       * @description Until when the cursor is valid.
       */
      cursor_expires_at: string
      /** @description The device that syncs, if known. */
      device_id: string | null
    }
    /** @enum {string} */
    SyncType: "note" | "notebook" | "tag" | "template" | "attachment" | "comment" | "reminder"
    SyncedAttachment: {
      /** @description The record's id. */
      id: string
      /** @description The note that the file belongs to. */
      note_id: string
      /** @description The name of the file, at most 255 characters. */
      filename: string
      /** @description The media type. Default: derived from the file name. */
      content_type: string
      /** @description Size in bytes; null until it is known. */
      size: number | null
      /** @description SHA-256 of the content, in hexadecimal; null until it is known. */
      sha256: string | null
      /**
       * @description `pending` until its bytes have arrived, then `ready`.
       * @enum {string}
       */
      status: "pending" | "ready" | "failed"
      /**
       * Format: date-time
       * @description When it was created.
       */
      created_at: string
    }
    SyncedNotebook: {
      /** @description The record's id. */
      id: string
      /** @description The name shown to people. */
      name: string
      /** @description A color as `#rgb` or `#rrggbb`; stored with six lower-case digits. */
      color: string | null
      /** @description The name of a built-in icon. */
      icon: components["schemas"]["Icon"] | null
      /** @description The notebook that contains this one; null on the top level. */
      parent_id: string | null
      /**
       * Format: date-time
       * @description When it was created.
       */
      created_at: string
      /**
       * Format: date-time
       * @description When it was last changed.
       */
      updated_at: string
    }
    SyncedTag: {
      /** @description The record's id. */
      id: string
      /** @description At most 50 characters, without white space, comma and `#`. */
      name: string
      /** @description A color as `#rgb` or `#rrggbb`; stored with six lower-case digits. */
      color: string | null
      /**
       * Format: date-time
       * @description When it was created.
       */
      created_at: string
    }
    Tag: {
      /** @description The record's id. */
      id: string
      /** @description At most 50 characters, without white space, comma and `#`. */
      name: string
      /** @description A color as `#rgb` or `#rrggbb`; stored with six lower-case digits. */
      color: string | null
      /** @description The number of notes with the tag. */
      note_count: number
      /**
       * Format: date-time
       * @description When it was created.
       */
      created_at: string
    }
    TagChange: components["schemas"]["TagUpsert"] | components["schemas"]["TagDelete"]
    TagConflict: {
      /**
       * @description The type of the record. (enum property replaced by openapi-typescript)
       * @enum {string}
       */
      type: "tag"
      /** @description The record's id. */
      id: string
      /**
       * @description Why the change was not written.
       * @enum {string}
       */
      reason: "stale_revision" | "deleted_on_server" | "already_exists" | "unknown_revision"
      /** @description The client's id for this change, 1 to 255 visible ASCII characters. */
      mutation_id: string | null
      /** @description The revision on the server. */
      revision: number | null
      /** @description The revision that the client edited. */
      client_revision: number
      /** @description The record on the server. */
      server: components["schemas"]["TagChange"] | null
      /** @description The entry that was pushed. */
      client: components["schemas"]["PushTag"]
      /** @description The record at `client_revision`, if it is still known. */
      base: {
        /** @description Its revision. */
        revision: number
        /** @description The whole record. */
        data: components["schemas"]["SyncedTag"]
      } | null
    }
    TagCreate: {
      /** @description At most 50 characters, without white space, comma and `#`. */
      name: string
      /** @description A color as `#rgb` or `#rrggbb`; stored with six lower-case digits. */
      color?: string | null
    }
    TagDelete: {
      /**
       * @description The type of the record.
       * @constant
       */
      type: "tag"
      /** @description The record's id. */
      id: string
      /**
       * @description The record was deleted. (enum property replaced by openapi-typescript)
       * @enum {string}
       */
      op: "delete"
      /** @description The record's revision, counted from 1; a note's is its version. */
      revision: number
      /**
       * @description Null: the record was deleted.
       * @constant
       */
      data: unknown
      /**
       * Format: date-time
       * @description When the record last changed.
       */
      changed_at: string
      /** @description The user who caused it; null if the server did. */
      actor_id: string | null
      /** @description The device that caused it, if known. */
      device_id: string | null
    }
    TagMerge: {
      /** @description The tags to merge, by id or name. They are deleted. */
      source_ids?: string[]
      /** @description Another name of `source_ids`. */
      sources?: string[]
      /** @description The tag to merge into, by id or name. */
      target_id?: string
      /** @description Another name of `target_id`. */
      target?: string
    }
    TagPage: {
      /** @description The resources of this page. */
      data: components["schemas"]["Tag"][]
      /** @description Whether there is another page. */
      has_more: boolean
      /** @description The `cursor` of the next page, else null. */
      next_cursor: string | null
    }
    TagUpdate: {
      /** @description At most 50 characters, without white space, comma and `#`. */
      name?: string
      /** @description A color as `#rgb` or `#rrggbb`; stored with six lower-case digits. */
      color?: string | null
    }
    TagUpsert: {
      /**
       * @description The type of the record.
       * @constant
       */
      type: "tag"
      /** @description The record's id. */
      id: string
      /**
       * @description The record was written. (enum property replaced by openapi-typescript)
       * @enum {string}
       */
      op: "upsert"
      /** @description The record's revision, counted from 1; a note's is its version. */
      revision: number
      /** @description The whole record. */
      data: components["schemas"]["SyncedTag"]
      /**
       * Format: date-time
       * @description When the record last changed.
       */
      changed_at: string
      /** @description The user who caused it; null if the server did. */
      actor_id: string | null
      /** @description The device that caused it, if known. */
      device_id: string | null
    }
    Template: {
      /** @description The template's id. */
      id: string
      /** @description The name, 1 to 100 characters. It need not be unique. */
      name: string
      /** @description Markdown with placeholders such as `{{date}}` and `{{title}}`, at most 1 048 576 bytes in UTF-8, 1000 placeholders, and 8 shifts in a placeholder. */
      body: string
      /**
       * Format: date-time
       * @description When it was created.
       */
      created_at: string
      /**
       * Format: date-time
       * @description When it was last changed.
       */
      updated_at: string
    }
    TemplateApply: {
      /** @description The notebook that contains the note. */
      notebook_id?: string
      /** @description Plain text, at most 200 characters. */
      title?: string
      /** @description Plain text, at most 200 characters. */
      name?: string
      /** @description Names of tags, at most 50. */
      tags?: string[]
      /** @description Values by the names of variables. They take precedence over built-in ones. */
      variables?: {
        [key: string]: string
      }
      /** @description Accepted and not used. */
      body?: unknown
    }
    TemplateChange: components["schemas"]["TemplateUpsert"] | components["schemas"]["TemplateDelete"]
    TemplateConflict: {
      /**
       * @description The type of the record. (enum property replaced by openapi-typescript)
       * @enum {string}
       */
      type: "template"
      /** @description The record's id. */
      id: string
      /**
       * @description Why the change was not written.
       * @enum {string}
       */
      reason: "stale_revision" | "deleted_on_server" | "already_exists" | "unknown_revision"
      /** @description The client's id for this change, 1 to 255 visible ASCII characters. */
      mutation_id: string | null
      /** @description The revision on the server. */
      revision: number | null
      /** @description The revision that the client edited. */
      client_revision: number
      /** @description The record on the server. */
      server: components["schemas"]["TemplateChange"] | null
      /** @description The entry that was pushed. */
      client: components["schemas"]["PushTemplate"]
      /** @description The record at `client_revision`, if it is still known. */
      base: {
        /** @description Its revision. */
        revision: number
        /** @description The whole record. */
        data: components["schemas"]["Template"]
      } | null
    }
    TemplateCreate: {
      /** @description The name, 1 to 100 characters. It need not be unique. */
      name: string
      /** @description Markdown with placeholders such as `{{date}}` and `{{title}}`, at most 1 048 576 bytes in UTF-8, 1000 placeholders, and 8 shifts in a placeholder. */
      body?: string
    }
    TemplateDelete: {
      /**
       * @description The type of the record.
       * @constant
       */
      type: "template"
      /** @description The record's id. */
      id: string
      /**
       * @description The record was deleted. (enum property replaced by openapi-typescript)
       * @enum {string}
       */
      op: "delete"
      /** @description The record's revision, counted from 1; a note's is its version. */
      revision: number
      /**
       * @description Null: the record was deleted.
       * @constant
       */
      data: unknown
      /**
       * Format: date-time
       * @description When the record last changed.
       */
      changed_at: string
      /** @description The user who caused it; null if the server did. */
      actor_id: string | null
      /** @description The device that caused it, if known. */
      device_id: string | null
    }
    TemplatePage: {
      /** @description The resources of this page. */
      data: components["schemas"]["Template"][]
      /** @description Whether there is another page. */
      has_more: boolean
      /** @description The `cursor` of the next page, else null. */
      next_cursor: string | null
    }
    TemplateUpdate: {
      /** @description The name, 1 to 100 characters. It need not be unique. */
      name?: string
      /** @description Markdown with placeholders such as `{{date}}` and `{{title}}`, at most 1 048 576 bytes in UTF-8, 1000 placeholders, and 8 shifts in a placeholder. */
      body?: string
    }
    TemplateUpsert: {
      /**
       * @description The type of the record.
       * @constant
       */
      type: "template"
      /** @description The record's id. */
      id: string
      /**
       * @description The record was written. (enum property replaced by openapi-typescript)
       * @enum {string}
       */
      op: "upsert"
      /** @description The record's revision, counted from 1; a note's is its version. */
      revision: number
      /** @description The whole record. */
      data: components["schemas"]["Template"]
      /**
       * Format: date-time
       * @description When the record last changed.
       */
      changed_at: string
      /** @description The user who caused it; null if the server did. */
      actor_id: string | null
      /** @description The device that caused it, if known. */
      device_id: string | null
    }
    TokenResponse: {
      /** @description The token for the header Authorization. Valid for one hour. */
      access_token: string
      /**
       * @description Always `Bearer`.
       * @constant
       */
      token_type: "Bearer"
      /** @description Seconds until the access token expires. */
      expires_in: number
      /** @description The token that gets new tokens. It can be used once. */
      refresh_token: string
      /** @description Seconds until the refresh token expires. */
      refresh_expires_in: number
      /** @description The scopes of the tokens, separated by spaces. */
      scope: string
      /** @description The session's id. */
      session_id: string
      /** @description The device of the session. */
      device_id: string
      /** @description The user's personal workspace. The token acts in it unless `Workspace-Id` names another. */
      workspace_id: string
      /** @description The user. */
      user: components["schemas"]["User"]
    }
    Usage: {
      /**
       * Format: date-time
       * @description The start of the period: the first day of the month, in UTC.
       */
      period_start: string
      /**
       * Format: date-time
       * @description The end of the period, and the start of the next one.
       */
      period_end: string
      /**
       * @description The plan of the workspace.
       * @enum {string}
       */
      plan: "free" | "plus" | "team"
      /** @description Number of notes, without those in the trash. */
      notes: number
      /** @description Bytes of attachments, including those of notes in the trash, and of pending uploads to a bucket. Each counts in full, even if several have the same content. */
      storage_bytes: number
      /** @description Bytes of the texts of notes (including the trash), their history and templates. A text that several versions share counts once. */
      text_bytes: number
      /** @description Bytes that the workspace keeps in all: texts, and files as they are stored, also those of imports and exports, deleted ones that are not removed yet, and the room for files that are being received. */
      kept_bytes: number
      /** @description Authenticated requests in the period. */
      api_requests: number
      /** @description Numbers of records, as the limits of the same names count them, including those of notes in the trash. */
      counts: {
        /** @description Number of notebooks in the workspace. */
        notebooks: number
        /** @description Number of tags in the workspace. */
        tags: number
        /** @description Number of attachments in the workspace. */
        attachments: number
        /** @description Number of templates in the workspace. */
        templates: number
        /** @description Number of comments in the workspace. */
        comments: number
        /** @description Number of reminders in the workspace. */
        reminders: number
        /** @description Number of shares in the workspace. */
        shares: number
      }
      /** @description The limits of the plan; 0 means unlimited. */
      limits: components["schemas"]["PlanLimits"]
      /** @description The days of the period up to today. */
      daily: {
        /**
         * Format: date
         * @description The day, in UTC.
         */
        date: string
        /** @description Authenticated requests on that day. */
        api_requests: number
      }[]
    }
    User: {
      /** @description The record's id. */
      id: string
      /** @description An e-mail address. */
      email: string
      /** @description The name shown to people. */
      name: string
      /** @description A BCP 47 language tag. */
      locale: string
      /** @description An IANA time zone. */
      timezone: string
      /** @description Whether the user gets mails about sign-ins on new devices, changes of the password, and new API keys and webhooks. Default: true. */
      security_mails: boolean
      /** @description Whether the user may administer the server, with the scopes `admin:read` and `admin:write`. */
      operator: boolean
      /**
       * Format: date-time
       * @description When it was created.
       */
      created_at: string
    }
    UserDelete: {
      /** @description The password of the signed-in user. */
      current_password: string
    }
    UserUpdate: {
      /**
       * Format: idn-email
       * @description An e-mail address.
       */
      email?: string
      /** @description The password of the signed-in user. Required for a change of the e-mail address; not used for API keys. */
      current_password?: string
      /** @description The name shown to people. */
      name?: string
      /** @description A BCP 47 language tag. */
      locale?: string
      /** @description An IANA time zone. */
      timezone?: string
      /** @description Whether the user gets mails about sign-ins on new devices, changes of the password, and new API keys and webhooks. Default: true. */
      security_mails?: boolean
    }
    Webhook: {
      /** @description The record's id. */
      id: string
      /** @description The endpoint: an https URL of a public host, without a user name. */
      url: string
      /** @description The events to send: types such as `note.created`, all of a resource as `note.*`, or all as `*`. */
      events: string[]
      /** @description The secret for signatures by Standard Webhooks 1.0. Shown only when it is created or changed, else null. */
      secret: string | null
      /** @description Whether deliveries are sent. */
      active: boolean
      /** @description Why the server deactivated it: its endpoint responded with 410 (`gone`), all deliveries failed for five days (`failing`), the user who made it or last changed it left the workspace (`creator_left`), or the API key that made it or last changed it ended (`key_ended`). */
      disabled_reason: ("gone" | "failing" | "creator_left" | "key_ended") | null
      /** @description Until when deliveries are also signed with the previous secret, else null. */
      previous_secret_expires_at: string | null
      /** @description When it is deactivated, with the API key that made it or last changed it; null if that credential does not expire. */
      expires_at: string | null
      /** @description The user who made it, or the user who changed it after that user had left; null for the operator, or if no longer known. */
      created_by: string | null
      /** @description The user who last changed it; null for the operator, or if no longer known. */
      updated_by: string | null
      /** @description When its endpoint last accepted a delivery, to the minute; null if never. */
      last_used_at: string | null
      /**
       * Format: date-time
       * @description When it was created.
       */
      created_at: string
      /**
       * Format: date-time
       * @description When it was last changed.
       */
      updated_at: string
    }
    WebhookCreate: {
      /** @description The endpoint: an https URL of a public host, without a user name. */
      url: string
      /** @description The events to send: types such as `note.created`, all of a resource as `note.*`, or all as `*`. */
      events: string[]
      /** @description Your own secret, `whsec_` and 24 to 64 bytes in base64. Default: a generated one. */
      secret?: string | null
      /** @description Whether deliveries are sent. */
      active?: boolean
      /** @description The password of the signed-in user. Required if the last sign-in, or the last request with it, was more than 15 minutes ago; not used for API keys. */
      current_password?: string
    }
    WebhookPage: {
      /** @description The resources of this page. */
      data: components["schemas"]["Webhook"][]
      /** @description Whether there is another page. */
      has_more: boolean
      /** @description The `cursor` of the next page, else null. */
      next_cursor: string | null
    }
    WebhookTest: {
      /** @description Accepted and not used. */
      url?: unknown
      /** @description Accepted and not used. */
      events?: unknown
      /** @description Accepted and not used. */
      secret?: unknown
      /** @description Accepted and not used. */
      active?: unknown
    }
    WebhookUpdate: {
      /** @description The endpoint: an https URL of a public host, without a user name. */
      url?: string
      /** @description The events to send: types such as `note.created`, all of a resource as `note.*`, or all as `*`. */
      events?: string[]
      /** @description Your own secret, `whsec_` and 24 to 64 bytes in base64. Default: a generated one. */
      secret?: string | null
      /** @description Whether deliveries are sent. */
      active?: boolean
      /** @description Creates a new secret, which the response shows. Deliveries are signed with both for 24 hours. */
      rotate_secret?: boolean
    }
    Workspace: {
      /** @description The record's id. */
      id: string
      /** @description The name shown to people. */
      name: string
      /** @description The unique name of the workspace in addresses. */
      slug: string
      /**
       * @description The plan of the workspace.
       * @enum {string}
       */
      plan: "free" | "plus" | "team"
      /** @description Number of paid seats. */
      seats: number
      /**
       * Format: date-time
       * @description When it was created.
       */
      created_at: string
    }
    WorkspaceCreate: {
      /** @description The name shown to people. */
      name: string
      /** @description The unique name of the workspace in addresses. Default: derived from `name`. */
      slug?: string
      /**
       * @description The plan of the workspace. Default: `free`.
       * @enum {string}
       */
      plan?: "free" | "plus" | "team"
      /** @description Number of paid seats. Default: 1. */
      seats?: number
    }
    WorkspaceDelete: {
      /** @description The password of the signed-in user. Required if the last sign-in, or the last request with it, was more than 15 minutes ago; not used for API keys. */
      current_password?: string
    }
    WorkspacePage: {
      /** @description The resources of this page. */
      data: components["schemas"]["Workspace"][]
      /** @description Whether there is another page. */
      has_more: boolean
      /** @description The `cursor` of the next page, else null. */
      next_cursor: string | null
    }
    WorkspaceRestore: {
      /**
       * Format: idn-email
       * @description The address of a user who becomes an owner. Required if no owner is left.
       */
      owner?: string
      /** @description The password of the signed-in user. Required if the last sign-in, or the last request with it, was more than 15 minutes ago; not used for API keys. */
      current_password?: string
    }
    WorkspaceUpdate: {
      /** @description The name shown to people. */
      name?: string
      /** @description The unique name of the workspace in addresses. */
      slug?: string
      /**
       * @description The plan of the workspace.
       * @enum {string}
       */
      plan?: "free" | "plus" | "team"
      /** @description Number of paid seats. */
      seats?: number
    }
  }
}
export interface operations {
  adminListBackups: {
    parameters: {
      query?: {
        /** @description The maximum number of items in a page. A page may have fewer; `has_more` says whether there is another. */
        limit?: number
        /** @description `next_cursor` of the previous page. It is valid only with the same path, sort, filter and workspace. */
        cursor?: string
        /** @description One or several fields separated by commas, with `-` before a field for descending order: `started_at`. Ties are broken by `id`. */
        sort?: ("started_at" | "-started_at")[]
        /** @description An expression such as `started_at>2026-01-01` over `id`, `kind`, `target`, `encrypted`, `started_at`. */
        filter?: string
        /**
         * @deprecated
         * @description Deprecated: the name of `limit` in version 1.
         */
        per_page?: number
        /**
         * @deprecated
         * @description Deprecated: the number of the page in version 1, counted from 1. Use `cursor`.
         */
        page?: number
      }
      path?: never
    }
    requestBody?: never
    responses: {
      /** @description A page of the list. */
      200: {
        content: {
          "application/json": components["schemas"]["ServerBackupPage"]
        }
      }
    }
  }
  adminBeginBackup: {
    parameters: {
      query?: never
      path?: never
    }
    requestBody?: never
    responses: {
      /** @description Success. */
      202: {
        content: {
          "application/json": components["schemas"]["Accepted"]
        }
      }
    }
  }
  adminGetBackup: {
    parameters: {
      query?: never
      path: {
        /** @description The backup's id. */
        id: string
      }
    }
    requestBody?: never
    responses: {
      /** @description Success. */
      200: {
        content: {
          "application/json": components["schemas"]["ServerBackup"]
        }
      }
    }
  }
  adminDownloadBackup: {
    parameters: {
      query?: never
      path: {
        /** @description The backup's id. */
        id: string
      }
    }
    requestBody?: {
      content: {
        "application/json": components["schemas"]["PasswordConfirmation"]
      }
    }
    responses: {
      /** @description Success. */
      200: {
        content: {
          "application/json": components["schemas"]["BackupDownload"]
        }
      }
    }
  }
  adminListJobs: {
    parameters: {
      query?: {
        /** @description The maximum number of items in a page. A page may have fewer; `has_more` says whether there is another. */
        limit?: number
        /** @description `next_cursor` of the previous page. It is valid only with the same path, sort, filter and workspace. */
        cursor?: string
        /** @description One or several fields separated by commas, with `-` before a field for descending order: `created_at`. Ties are broken by `id`. */
        sort?: ("created_at" | "-created_at")[]
        /** @description An expression such as `created_at>2026-01-01` over `id`, `kind`, `workspace_id`, `workspace`, `state`, `created_at`. */
        filter?: string
        /**
         * @deprecated
         * @description Deprecated: the name of `limit` in version 1.
         */
        per_page?: number
        /**
         * @deprecated
         * @description Deprecated: the number of the page in version 1, counted from 1. Use `cursor`.
         */
        page?: number
      }
      path?: never
    }
    requestBody?: never
    responses: {
      /** @description A page of the list. */
      200: {
        content: {
          "application/json": components["schemas"]["ServerJobPage"]
        }
      }
    }
  }
  adminGetJob: {
    parameters: {
      query?: never
      path: {
        /** @description The job's id. */
        id: string
      }
    }
    requestBody?: never
    responses: {
      /** @description Success. */
      200: {
        content: {
          "application/json": components["schemas"]["ServerJob"]
        }
      }
    }
  }
  adminCancelJob: {
    parameters: {
      query?: never
      path: {
        /** @description The job's id. */
        id: string
      }
    }
    requestBody?: never
    responses: {
      /** @description Success. */
      200: {
        content: {
          "application/json": components["schemas"]["ServerJob"]
        }
      }
    }
  }
  adminRetryJob: {
    parameters: {
      query?: never
      path: {
        /** @description The job's id. */
        id: string
      }
    }
    requestBody?: never
    responses: {
      /** @description Success. */
      200: {
        content: {
          "application/json": components["schemas"]["ServerJob"]
        }
      }
    }
  }
  adminListMails: {
    parameters: {
      query?: {
        /** @description The maximum number of items in a page. A page may have fewer; `has_more` says whether there is another. */
        limit?: number
        /** @description `next_cursor` of the previous page. It is valid only with the same path, sort, filter and workspace. */
        cursor?: string
        /** @description One or several fields separated by commas, with `-` before a field for descending order: `created_at`. Ties are broken by `id`. */
        sort?: ("created_at" | "-created_at")[]
        /** @description An expression such as `created_at>2026-01-01` over `id`, `recipient`, `state`, `created_at`. */
        filter?: string
        /**
         * @deprecated
         * @description Deprecated: the name of `limit` in version 1.
         */
        per_page?: number
        /**
         * @deprecated
         * @description Deprecated: the number of the page in version 1, counted from 1. Use `cursor`.
         */
        page?: number
      }
      path?: never
    }
    requestBody?: never
    responses: {
      /** @description A page of the list. */
      200: {
        content: {
          "application/json": components["schemas"]["ServerMailPage"]
        }
      }
    }
  }
  adminGetMail: {
    parameters: {
      query?: never
      path: {
        /** @description The mail's id. */
        id: string
      }
    }
    requestBody?: never
    responses: {
      /** @description Success. */
      200: {
        content: {
          "application/json": components["schemas"]["ServerMail"]
        }
      }
    }
  }
  adminTestMail: {
    parameters: {
      query?: never
      path?: never
    }
    requestBody: {
      content: {
        "application/json": components["schemas"]["MailTestCreate"]
      }
    }
    responses: {
      /** @description Success. */
      200: {
        content: {
          "application/json": components["schemas"]["MailTest"]
        }
      }
    }
  }
  adminResendMail: {
    parameters: {
      query?: never
      path: {
        /** @description The mail's id. */
        id: string
      }
    }
    requestBody?: never
    responses: {
      /** @description Success. */
      200: {
        content: {
          "application/json": components["schemas"]["ServerMail"]
        }
      }
    }
  }
  adminGetServer: {
    parameters: {
      query?: never
      path?: never
    }
    requestBody?: never
    responses: {
      /** @description Success. */
      200: {
        content: {
          "application/json": components["schemas"]["ServerStatus"]
        }
      }
    }
  }
  adminListSettings: {
    parameters: {
      query?: never
      path?: never
    }
    requestBody?: never
    responses: {
      /** @description A page of the list. */
      200: {
        content: {
          "application/json": components["schemas"]["ServerSettings"]
        }
      }
    }
  }
  adminListNodes: {
    parameters: {
      query?: never
      path?: never
    }
    requestBody?: never
    responses: {
      /** @description A page of the list. */
      200: {
        content: {
          "application/json": components["schemas"]["ServerNodes"]
        }
      }
    }
  }
  adminGetSeries: {
    parameters: {
      query?: {
        /** @description The time up to now. Default: `hour`. */
        range?: "hour" | "day" | "month" | "year"
      }
      path?: never
    }
    requestBody?: never
    responses: {
      /** @description Success. */
      200: {
        content: {
          "application/json": components["schemas"]["SeriesReport"]
        }
      }
    }
  }
  adminListAuditEntries: {
    parameters: {
      query?: {
        /** @description The maximum number of items in a page. A page may have fewer; `has_more` says whether there is another. */
        limit?: number
        /** @description `next_cursor` of the previous page. It is valid only with the same path, sort, filter and workspace. */
        cursor?: string
        /** @description One or several fields separated by commas, with `-` before a field for descending order: `occurred_at`. Ties are broken by `id`. */
        sort?: ("occurred_at" | "-occurred_at")[]
        /** @description An expression such as `occurred_at>2026-01-01` over `id`, `action`, `resource_type`, `resource_id`, `actor_id`, `ip`, `occurred_at`. */
        filter?: string
        /**
         * @deprecated
         * @description Deprecated: the name of `limit` in version 1.
         */
        per_page?: number
        /**
         * @deprecated
         * @description Deprecated: the number of the page in version 1, counted from 1. Use `cursor`.
         */
        page?: number
      }
      path?: never
    }
    requestBody?: never
    responses: {
      /** @description A page of the list. */
      200: {
        content: {
          "application/json": components["schemas"]["AuditEntryPage"]
        }
      }
    }
  }
  adminListChecks: {
    parameters: {
      query?: never
      path?: never
    }
    requestBody?: never
    responses: {
      /** @description A page of the list. */
      200: {
        content: {
          "application/json": components["schemas"]["CheckRunsPage"]
        }
      }
    }
  }
  adminBeginCheck: {
    parameters: {
      query?: never
      path?: never
    }
    requestBody?: {
      content: {
        "application/json": components["schemas"]["CheckRunCreate"]
      }
    }
    responses: {
      /** @description Success. */
      202: {
        content: {
          "application/json": components["schemas"]["CheckRun"]
        }
      }
    }
  }
  adminGetCheck: {
    parameters: {
      query?: never
      path: {
        /** @description The check's id. */
        id: string
      }
    }
    requestBody?: never
    responses: {
      /** @description Success. */
      200: {
        content: {
          "application/json": components["schemas"]["CheckRun"]
        }
      }
    }
  }
  adminListUsers: {
    parameters: {
      query?: {
        /** @description The maximum number of items in a page. A page may have fewer; `has_more` says whether there is another. */
        limit?: number
        /** @description `next_cursor` of the previous page. It is valid only with the same path, sort, filter and workspace. */
        cursor?: string
        /** @description One or several fields separated by commas, with `-` before a field for descending order: `created_at`, `email`. Ties are broken by `id`. */
        sort?: ("created_at" | "-created_at" | "email" | "-email")[]
        /** @description An expression such as `created_at>2026-01-01` over `id`, `email`, `name`, `operator`, `suspended`, `created_at`. */
        filter?: string
        /**
         * @deprecated
         * @description Deprecated: the name of `limit` in version 1.
         */
        per_page?: number
        /**
         * @deprecated
         * @description Deprecated: the number of the page in version 1, counted from 1. Use `cursor`.
         */
        page?: number
      }
      path?: never
    }
    requestBody?: never
    responses: {
      /** @description A page of the list. */
      200: {
        content: {
          "application/json": components["schemas"]["ServerUserPage"]
        }
      }
    }
  }
  adminCreateUser: {
    parameters: {
      query?: never
      path?: never
    }
    requestBody: {
      content: {
        "application/json": components["schemas"]["ServerUserCreate"]
      }
    }
    responses: {
      /** @description Success. */
      201: {
        content: {
          "application/json": components["schemas"]["ServerUser"]
        }
      }
    }
  }
  adminGetUser: {
    parameters: {
      query?: never
      path: {
        /** @description The user's id. */
        id: string
      }
    }
    requestBody?: never
    responses: {
      /** @description Success. */
      200: {
        content: {
          "application/json": components["schemas"]["ServerUser"]
        }
      }
    }
  }
  adminDeleteUser: {
    parameters: {
      query?: never
      path: {
        /** @description The user's id. */
        id: string
      }
    }
    requestBody?: {
      content: {
        "application/json": components["schemas"]["PasswordConfirmation"]
      }
    }
    responses: {
      /** @description Success. */
      200: {
        content: {
          "application/json": components["schemas"]["Deleted"]
        }
      }
    }
  }
  adminUpdateUser: {
    parameters: {
      query?: never
      path: {
        /** @description The user's id. */
        id: string
      }
    }
    requestBody: {
      content: {
        "application/json": components["schemas"]["ServerUserUpdate"]
      }
    }
    responses: {
      /** @description Success. */
      200: {
        content: {
          "application/json": components["schemas"]["ServerUser"]
        }
      }
    }
  }
  adminMakePasswordLink: {
    parameters: {
      query?: never
      path: {
        /** @description The user's id. */
        id: string
      }
    }
    requestBody?: {
      content: {
        "application/json": components["schemas"]["PasswordConfirmation"]
      }
    }
    responses: {
      /** @description Success. */
      200: {
        content: {
          "application/json": components["schemas"]["PasswordLink"]
        }
      }
    }
  }
  adminEndSessions: {
    parameters: {
      query?: never
      path: {
        /** @description The user's id. */
        id: string
      }
    }
    requestBody?: never
    responses: {
      /** @description Success. */
      200: {
        content: {
          "application/json": components["schemas"]["RevokedSessions"]
        }
      }
    }
  }
  adminListWorkspaces: {
    parameters: {
      query?: {
        /** @description The maximum number of items in a page. A page may have fewer; `has_more` says whether there is another. */
        limit?: number
        /** @description `next_cursor` of the previous page. It is valid only with the same path, sort, filter and workspace. */
        cursor?: string
        /** @description One or several fields separated by commas, with `-` before a field for descending order: `created_at`, `slug`. Ties are broken by `id`. */
        sort?: ("created_at" | "-created_at" | "slug" | "-slug")[]
        /** @description An expression such as `created_at>2026-01-01` over `id`, `name`, `slug`, `plan`, `personal`, `deleted`, `created_at`. */
        filter?: string
        /**
         * @deprecated
         * @description Deprecated: the name of `limit` in version 1.
         */
        per_page?: number
        /**
         * @deprecated
         * @description Deprecated: the number of the page in version 1, counted from 1. Use `cursor`.
         */
        page?: number
      }
      path?: never
    }
    requestBody?: never
    responses: {
      /** @description A page of the list. */
      200: {
        content: {
          "application/json": components["schemas"]["ServerWorkspacePage"]
        }
      }
    }
  }
  adminGetWorkspace: {
    parameters: {
      query?: never
      path: {
        /** @description The workspace's id. */
        id: string
      }
    }
    requestBody?: never
    responses: {
      /** @description Success. */
      200: {
        content: {
          "application/json": components["schemas"]["ServerWorkspace"]
        }
      }
    }
  }
  adminDeleteWorkspace: {
    parameters: {
      query?: never
      path: {
        /** @description The workspace's id. */
        id: string
      }
    }
    requestBody?: {
      content: {
        "application/json": components["schemas"]["PasswordConfirmation"]
      }
    }
    responses: {
      /** @description Success. */
      200: {
        content: {
          "application/json": components["schemas"]["Deleted"]
        }
      }
    }
  }
  adminUpdateWorkspace: {
    parameters: {
      query?: never
      path: {
        /** @description The workspace's id. */
        id: string
      }
    }
    requestBody: {
      content: {
        "application/json": components["schemas"]["ServerWorkspaceUpdate"]
      }
    }
    responses: {
      /** @description Success. */
      200: {
        content: {
          "application/json": components["schemas"]["ServerWorkspace"]
        }
      }
    }
  }
  adminRestoreWorkspace: {
    parameters: {
      query?: never
      path: {
        /** @description The workspace's id. */
        id: string
      }
    }
    requestBody?: {
      content: {
        "application/json": components["schemas"]["WorkspaceRestore"]
      }
    }
    responses: {
      /** @description Success. */
      200: {
        content: {
          "application/json": components["schemas"]["ServerWorkspace"]
        }
      }
    }
  }
  adminPurgeWorkspace: {
    parameters: {
      query?: never
      path: {
        /** @description The workspace's id. */
        id: string
      }
    }
    requestBody?: {
      content: {
        "application/json": components["schemas"]["PasswordConfirmation"]
      }
    }
    responses: {
      /** @description Success. */
      200: {
        content: {
          "application/json": components["schemas"]["ServerWorkspace"]
        }
      }
    }
  }
  adminReindexWorkspace: {
    parameters: {
      query?: never
      path: {
        /** @description The workspace's id. */
        id: string
      }
    }
    requestBody?: never
    responses: {
      /** @description Success. */
      200: {
        content: {
          "application/json": components["schemas"]["ServerWorkspace"]
        }
      }
    }
  }
  listApiKeys: {
    parameters: {
      query?: {
        /** @description The maximum number of items in a page. A page may have fewer; `has_more` says whether there is another. */
        limit?: number
        /** @description `next_cursor` of the previous page. It is valid only with the same path, sort, filter and workspace. */
        cursor?: string
        /** @description One or several fields separated by commas, with `-` before a field for descending order: `created_at`, `name`, `last_used_at`. Ties are broken by `id`. */
        sort?: ("created_at" | "-created_at" | "name" | "-name" | "last_used_at" | "-last_used_at")[]
        /** @description An expression such as `created_at>2026-01-01` over `id`, `name`, `created_at`, `last_used_at`. */
        filter?: string
        /**
         * @deprecated
         * @description Deprecated: the name of `limit` in version 1.
         */
        per_page?: number
        /**
         * @deprecated
         * @description Deprecated: the number of the page in version 1, counted from 1. Use `cursor`.
         */
        page?: number
      }
      path?: never
    }
    requestBody?: never
    responses: {
      /** @description A page of the list. */
      200: {
        content: {
          "application/json": components["schemas"]["ApiKeyPage"]
        }
      }
    }
  }
  createApiKey: {
    parameters: {
      query?: never
      path?: never
    }
    requestBody: {
      content: {
        "application/json": components["schemas"]["ApiKeyCreate"]
      }
    }
    responses: {
      /** @description Success. */
      201: {
        content: {
          "application/json": components["schemas"]["ApiKeyWithSecret"]
        }
      }
    }
  }
  getApiKey: {
    parameters: {
      query?: never
      path: {
        /** @description The api key's id. */
        id: string
      }
    }
    requestBody?: never
    responses: {
      /** @description Success. */
      200: {
        content: {
          "application/json": components["schemas"]["ApiKey"]
        }
      }
    }
  }
  deleteApiKey: {
    parameters: {
      query?: never
      path: {
        /** @description The api key's id. */
        id: string
      }
    }
    requestBody?: never
    responses: {
      /** @description Success. */
      200: {
        content: {
          "application/json": components["schemas"]["Deleted"]
        }
      }
    }
  }
  rotateApiKey: {
    parameters: {
      query?: never
      path: {
        /** @description The api key's id. */
        id: string
      }
    }
    requestBody?: {
      content: {
        "application/json": components["schemas"]["ApiKeyRotate"]
      }
    }
    responses: {
      /** @description Success. */
      200: {
        content: {
          "application/json": components["schemas"]["ApiKeyWithSecret"]
        }
      }
    }
  }
  listAttachments: {
    parameters: {
      query?: {
        /** @description The maximum number of items in a page. A page may have fewer; `has_more` says whether there is another. */
        limit?: number
        /** @description `next_cursor` of the previous page. It is valid only with the same path, sort, filter and workspace. */
        cursor?: string
        /** @description One or several fields separated by commas, with `-` before a field for descending order: `created_at`, `filename`, `size`. Ties are broken by `id`. */
        sort?: ("created_at" | "-created_at" | "filename" | "-filename" | "size" | "-size")[]
        /** @description An expression such as `created_at>2026-01-01` over `id`, `note_id`, `filename`, `content_type`, `size`, `sha256`, `status`, `created_at`. */
        filter?: string
        /**
         * @deprecated
         * @description Deprecated: the name of `limit` in version 1.
         */
        per_page?: number
        /**
         * @deprecated
         * @description Deprecated: the number of the page in version 1, counted from 1. Use `cursor`.
         */
        page?: number
      }
      path?: never
    }
    requestBody?: never
    responses: {
      /** @description A page of the list. */
      200: {
        content: {
          "application/json": components["schemas"]["AttachmentPage"]
        }
      }
    }
  }
  createAttachment: {
    parameters: {
      query?: never
      path?: never
    }
    requestBody: {
      content: {
        "application/json": components["schemas"]["AttachmentCreate"]
      }
    }
    responses: {
      /** @description Success. */
      201: {
        content: {
          "application/json": components["schemas"]["AttachmentUpload"]
        }
      }
    }
  }
  createUpload: {
    parameters: {
      query?: never
      path?: never
    }
    requestBody: {
      content: {
        "application/json": components["schemas"]["AttachmentCreate"]
      }
    }
    responses: {
      /** @description Success. */
      201: {
        content: {
          "application/json": components["schemas"]["AttachmentUpload"]
        }
      }
    }
  }
  getAttachment: {
    parameters: {
      query?: never
      path: {
        /** @description The attachment's id. */
        id: string
      }
    }
    requestBody?: never
    responses: {
      /** @description Success. */
      200: {
        content: {
          "application/json": components["schemas"]["Attachment"]
        }
      }
    }
  }
  deleteAttachment: {
    parameters: {
      query?: never
      path: {
        /** @description The attachment's id. */
        id: string
      }
    }
    requestBody?: never
    responses: {
      /** @description Success. */
      200: {
        content: {
          "application/json": components["schemas"]["Deleted"]
        }
      }
    }
  }
  updateAttachment: {
    parameters: {
      query?: never
      path: {
        /** @description The attachment's id. */
        id: string
      }
    }
    requestBody: {
      content: {
        "application/json": components["schemas"]["AttachmentUpdate"]
      }
    }
    responses: {
      /** @description Success. */
      200: {
        content: {
          "application/json": components["schemas"]["Attachment"]
        }
      }
    }
  }
  completeAttachment: {
    parameters: {
      query?: never
      path: {
        /** @description The attachment's id. */
        id: string
      }
    }
    requestBody?: never
    responses: {
      /** @description Success. */
      200: {
        content: {
          "application/json": components["schemas"]["Attachment"]
        }
      }
    }
  }
  downloadAttachment: {
    parameters: {
      query?: {
        /** @description Whether to redirect to the bytes. */
        redirect?: boolean
      }
      path: {
        /** @description The attachment's id. */
        id: string
      }
    }
    requestBody?: never
    responses: {
      /** @description Success. */
      200: {
        content: {
          "application/json": components["schemas"]["Attachment"]
        }
      }
    }
  }
  listAuditEntries: {
    parameters: {
      query?: {
        /** @description The maximum number of items in a page. A page may have fewer; `has_more` says whether there is another. */
        limit?: number
        /** @description `next_cursor` of the previous page. It is valid only with the same path, sort, filter and workspace. */
        cursor?: string
        /** @description One or several fields separated by commas, with `-` before a field for descending order: `occurred_at`. Ties are broken by `id`. */
        sort?: ("occurred_at" | "-occurred_at")[]
        /** @description An expression such as `occurred_at>2026-01-01` over `id`, `action`, `resource_type`, `resource_id`, `actor_id`, `ip`, `occurred_at`. */
        filter?: string
        /**
         * @deprecated
         * @description Deprecated: the name of `limit` in version 1.
         */
        per_page?: number
        /**
         * @deprecated
         * @description Deprecated: the number of the page in version 1, counted from 1. Use `cursor`.
         */
        page?: number
      }
      path?: never
    }
    requestBody?: never
    responses: {
      /** @description A page of the list. */
      200: {
        content: {
          "application/json": components["schemas"]["AuditEntryPage_1"]
        }
      }
    }
  }
  getAuditEntry: {
    parameters: {
      query?: never
      path: {
        /** @description The audit entry's id. */
        id: string
      }
    }
    requestBody?: never
    responses: {
      /** @description Success. */
      200: {
        content: {
          "application/json": components["schemas"]["AuditEntry"]
        }
      }
    }
  }
  listComments: {
    parameters: {
      query?: {
        /** @description The maximum number of items in a page. A page may have fewer; `has_more` says whether there is another. */
        limit?: number
        /** @description `next_cursor` of the previous page. It is valid only with the same path, sort, filter and workspace. */
        cursor?: string
        /** @description One or several fields separated by commas, with `-` before a field for descending order: `created_at`. Ties are broken by `id`. */
        sort?: ("created_at" | "-created_at")[]
        /** @description An expression such as `created_at>2026-01-01` over `id`, `author_id`, `parent_id`, `resolved`, `created_at`. */
        filter?: string
        /**
         * @deprecated
         * @description Deprecated: the name of `limit` in version 1.
         */
        per_page?: number
        /**
         * @deprecated
         * @description Deprecated: the number of the page in version 1, counted from 1. Use `cursor`.
         */
        page?: number
      }
      path: {
        /** @description The note's id. */
        note_id: string
      }
    }
    requestBody?: never
    responses: {
      /** @description A page of the list. */
      200: {
        content: {
          "application/json": components["schemas"]["CommentPage"]
        }
      }
    }
  }
  createComment: {
    parameters: {
      query?: never
      path: {
        /** @description The note's id. */
        note_id: string
      }
    }
    requestBody: {
      content: {
        "application/json": components["schemas"]["CommentCreate"]
      }
    }
    responses: {
      /** @description Success. */
      201: {
        content: {
          "application/json": components["schemas"]["Comment"]
        }
      }
    }
  }
  getComment: {
    parameters: {
      query?: never
      path: {
        /** @description The note's id. */
        note_id: string
        /** @description The comment's id. */
        id: string
      }
    }
    requestBody?: never
    responses: {
      /** @description Success. */
      200: {
        content: {
          "application/json": components["schemas"]["Comment"]
        }
      }
    }
  }
  deleteComment: {
    parameters: {
      query?: never
      path: {
        /** @description The note's id. */
        note_id: string
        /** @description The comment's id. */
        id: string
      }
    }
    requestBody?: never
    responses: {
      /** @description Success. */
      200: {
        content: {
          "application/json": components["schemas"]["Deleted"]
        }
      }
    }
  }
  updateComment: {
    parameters: {
      query?: never
      path: {
        /** @description The note's id. */
        note_id: string
        /** @description The comment's id. */
        id: string
      }
    }
    requestBody: {
      content: {
        "application/json": components["schemas"]["CommentUpdate"]
      }
    }
    responses: {
      /** @description Success. */
      200: {
        content: {
          "application/json": components["schemas"]["Comment"]
        }
      }
    }
  }
  listEvents: {
    parameters: {
      query?: {
        /** @description The maximum number of items in a page. A page may have fewer; `has_more` says whether there is another. */
        limit?: number
        /** @description `next_cursor` of the previous page. It is valid only with the same path, sort, filter and workspace. */
        cursor?: string
        /** @description One or several fields separated by commas, with `-` before a field for descending order: `occurred_at`. Ties are broken by `id`. */
        sort?: ("occurred_at" | "-occurred_at")[]
        /** @description An expression such as `occurred_at>2026-01-01` over `id`, `type`, `resource_type`, `resource_id`, `actor_id`, `occurred_at`. */
        filter?: string
        /**
         * @deprecated
         * @description Deprecated: the name of `limit` in version 1.
         */
        per_page?: number
        /**
         * @deprecated
         * @description Deprecated: the number of the page in version 1, counted from 1. Use `cursor`.
         */
        page?: number
      }
      path?: never
    }
    requestBody?: never
    responses: {
      /** @description A page of the list. */
      200: {
        content: {
          "application/json": components["schemas"]["EventPage"]
        }
      }
    }
  }
  getEvent: {
    parameters: {
      query?: never
      path: {
        /** @description The event's id. */
        id: string
      }
    }
    requestBody?: never
    responses: {
      /** @description Success. */
      200: {
        content: {
          "application/json": components["schemas"]["Event"]
        }
      }
    }
  }
  listExports: {
    parameters: {
      query?: {
        /** @description The maximum number of items in a page. A page may have fewer; `has_more` says whether there is another. */
        limit?: number
        /** @description `next_cursor` of the previous page. It is valid only with the same path, sort, filter and workspace. */
        cursor?: string
        /** @description One or several fields separated by commas, with `-` before a field for descending order: `created_at`, `status`. Ties are broken by `id`. */
        sort?: ("created_at" | "-created_at" | "status" | "-status")[]
        /** @description An expression such as `created_at>2026-01-01` over `id`, `scope`, `format`, `status`, `created_at`. */
        filter?: string
        /**
         * @deprecated
         * @description Deprecated: the name of `limit` in version 1.
         */
        per_page?: number
        /**
         * @deprecated
         * @description Deprecated: the number of the page in version 1, counted from 1. Use `cursor`.
         */
        page?: number
      }
      path?: never
    }
    requestBody?: never
    responses: {
      /** @description A page of the list. */
      200: {
        content: {
          "application/json": components["schemas"]["ExportPage"]
        }
      }
    }
  }
  createExport: {
    parameters: {
      query?: never
      path?: never
    }
    requestBody: {
      content: {
        "application/json": components["schemas"]["ExportCreate"]
      }
    }
    responses: {
      /** @description Success. */
      201: {
        content: {
          "application/json": components["schemas"]["Export"]
        }
      }
    }
  }
  getExport: {
    parameters: {
      query?: never
      path: {
        /** @description The export's id. */
        id: string
      }
    }
    requestBody?: never
    responses: {
      /** @description Success. */
      200: {
        content: {
          "application/json": components["schemas"]["Export"]
        }
      }
    }
  }
  listImports: {
    parameters: {
      query?: {
        /** @description The maximum number of items in a page. A page may have fewer; `has_more` says whether there is another. */
        limit?: number
        /** @description `next_cursor` of the previous page. It is valid only with the same path, sort, filter and workspace. */
        cursor?: string
        /** @description One or several fields separated by commas, with `-` before a field for descending order: `created_at`, `status`. Ties are broken by `id`. */
        sort?: ("created_at" | "-created_at" | "status" | "-status")[]
        /** @description An expression such as `created_at>2026-01-01` over `id`, `source`, `status`, `created_at`. */
        filter?: string
        /**
         * @deprecated
         * @description Deprecated: the name of `limit` in version 1.
         */
        per_page?: number
        /**
         * @deprecated
         * @description Deprecated: the number of the page in version 1, counted from 1. Use `cursor`.
         */
        page?: number
      }
      path?: never
    }
    requestBody?: never
    responses: {
      /** @description A page of the list. */
      200: {
        content: {
          "application/json": components["schemas"]["ImportPage"]
        }
      }
    }
  }
  createImport: {
    parameters: {
      query?: never
      path?: never
    }
    requestBody: {
      content: {
        "application/json": components["schemas"]["ImportCreate"]
      }
    }
    responses: {
      /** @description Success. */
      201: {
        content: {
          "application/json": components["schemas"]["Import"]
        }
      }
    }
  }
  getImport: {
    parameters: {
      query?: never
      path: {
        /** @description The import's id. */
        id: string
      }
    }
    requestBody?: never
    responses: {
      /** @description Success. */
      200: {
        content: {
          "application/json": components["schemas"]["Import"]
        }
      }
    }
  }
  listInvitations: {
    parameters: {
      query?: {
        /** @description The maximum number of items in a page. A page may have fewer; `has_more` says whether there is another. */
        limit?: number
        /** @description `next_cursor` of the previous page. It is valid only with the same path, sort, filter and workspace. */
        cursor?: string
        /** @description One or several fields separated by commas, with `-` before a field for descending order: `created_at`, `email`, `role`, `status`. Ties are broken by `id`. */
        sort?: ("created_at" | "-created_at" | "email" | "-email" | "role" | "-role" | "status" | "-status")[]
        /** @description An expression such as `created_at>2026-01-01` over `id`, `email`, `role`, `status`, `created_at`, `expires_at`. */
        filter?: string
        /**
         * @deprecated
         * @description Deprecated: the name of `limit` in version 1.
         */
        per_page?: number
        /**
         * @deprecated
         * @description Deprecated: the number of the page in version 1, counted from 1. Use `cursor`.
         */
        page?: number
      }
      path: {
        /** @description The workspace's id. */
        workspace_id: string
      }
    }
    requestBody?: never
    responses: {
      /** @description A page of the list. */
      200: {
        content: {
          "application/json": components["schemas"]["InvitationPage"]
        }
      }
    }
  }
  createInvitation: {
    parameters: {
      query?: never
      path: {
        /** @description The workspace's id. */
        workspace_id: string
      }
    }
    requestBody: {
      content: {
        "application/json": components["schemas"]["InvitationCreate"]
      }
    }
    responses: {
      /** @description Success. */
      201: {
        content: {
          "application/json": components["schemas"]["InvitationSent"]
        }
      }
    }
  }
  getInvitation: {
    parameters: {
      query?: never
      path: {
        /** @description The workspace's id. */
        workspace_id: string
        /** @description The invitation's id. */
        id: string
      }
    }
    requestBody?: never
    responses: {
      /** @description Success. */
      200: {
        content: {
          "application/json": components["schemas"]["Invitation"]
        }
      }
    }
  }
  deleteInvitation: {
    parameters: {
      query?: never
      path: {
        /** @description The workspace's id. */
        workspace_id: string
        /** @description The invitation's id. */
        id: string
      }
    }
    requestBody?: never
    responses: {
      /** @description Success. */
      200: {
        content: {
          "application/json": components["schemas"]["Deleted"]
        }
      }
    }
  }
  resendInvitation: {
    parameters: {
      query?: never
      path: {
        /** @description The workspace's id. */
        workspace_id: string
        /** @description The invitation's id. */
        id: string
      }
    }
    requestBody?: {
      content: {
        "application/json": components["schemas"]["InvitationResend"]
      }
    }
    responses: {
      /** @description Success. */
      200: {
        content: {
          "application/json": components["schemas"]["InvitationSent"]
        }
      }
    }
  }
  acceptInvitation: {
    parameters: {
      query?: never
      path?: never
    }
    requestBody: {
      content: {
        "application/json": components["schemas"]["InvitationAccept"]
      }
    }
    responses: {
      /** @description Success. */
      200: {
        content: {
          "application/json": components["schemas"]["Invitation"]
        }
      }
    }
  }
  getMe: {
    parameters: {
      query?: {
        /** @description The maximum number of items in a page. A page may have fewer; `has_more` says whether there is another. */
        limit?: number
        /** @description `next_cursor` of the previous page. It is valid only with the same path, sort, filter and workspace. */
        cursor?: string
        /** @description Accepted and ignored. */
        sort?: string
        /** @description Accepted and ignored. */
        filter?: string
        /**
         * @deprecated
         * @description Deprecated: the name of `limit` in version 1.
         */
        per_page?: number
        /**
         * @deprecated
         * @description Deprecated: the number of the page in version 1, counted from 1. Use `cursor`.
         */
        page?: number
      }
      path?: never
    }
    requestBody?: never
    responses: {
      /** @description Success. */
      200: {
        content: {
          "application/json": components["schemas"]["User"]
        }
      }
    }
  }
  deleteMe: {
    parameters: {
      query?: never
      path?: never
    }
    requestBody: {
      content: {
        "application/json": components["schemas"]["UserDelete"]
      }
    }
    responses: {
      /** @description Success. */
      200: {
        content: {
          "application/json": components["schemas"]["Deleted"]
        }
      }
    }
  }
  updateMe: {
    parameters: {
      query?: never
      path?: never
    }
    requestBody: {
      content: {
        "application/json": components["schemas"]["UserUpdate"]
      }
    }
    responses: {
      /** @description Success. */
      200: {
        content: {
          "application/json": components["schemas"]["User"]
        }
      }
    }
  }
  listSessions: {
    parameters: {
      query?: {
        /** @description The maximum number of items in a page. A page may have fewer; `has_more` says whether there is another. */
        limit?: number
        /** @description `next_cursor` of the previous page. It is valid only with the same path, sort, filter and workspace. */
        cursor?: string
        /** @description One or several fields separated by commas, with `-` before a field for descending order: `created_at`, `name`, `last_used_at`. Ties are broken by `id`. */
        sort?: ("created_at" | "-created_at" | "name" | "-name" | "last_used_at" | "-last_used_at")[]
        /** @description An expression such as `created_at>2026-01-01` over `id`, `name`, `active`, `created_at`, `last_used_at`. */
        filter?: string
        /**
         * @deprecated
         * @description Deprecated: the name of `limit` in version 1.
         */
        per_page?: number
        /**
         * @deprecated
         * @description Deprecated: the number of the page in version 1, counted from 1. Use `cursor`.
         */
        page?: number
      }
      path?: never
    }
    requestBody?: never
    responses: {
      /** @description A page of the list. */
      200: {
        content: {
          "application/json": components["schemas"]["SessionPage"]
        }
      }
    }
  }
  revokeOtherSessions: {
    parameters: {
      query?: never
      path?: never
    }
    requestBody?: never
    responses: {
      /** @description Success. */
      200: {
        content: {
          "application/json": components["schemas"]["RevokedSessions"]
        }
      }
    }
  }
  deleteSession: {
    parameters: {
      query?: never
      path: {
        /** @description The session's id. */
        id: string
      }
    }
    requestBody?: never
    responses: {
      /** @description Success. */
      200: {
        content: {
          "application/json": components["schemas"]["Deleted"]
        }
      }
    }
  }
  listMembers: {
    parameters: {
      query?: {
        /** @description The maximum number of items in a page. A page may have fewer; `has_more` says whether there is another. */
        limit?: number
        /** @description `next_cursor` of the previous page. It is valid only with the same path, sort, filter and workspace. */
        cursor?: string
        /** @description One or several fields separated by commas, with `-` before a field for descending order: `created_at`, `email`, `role`. Ties are broken by `id`. */
        sort?: ("created_at" | "-created_at" | "email" | "-email" | "role" | "-role")[]
        /** @description An expression such as `created_at>2026-01-01` over `id`, `user_id`, `email`, `role`, `created_at`. */
        filter?: string
        /**
         * @deprecated
         * @description Deprecated: the name of `limit` in version 1.
         */
        per_page?: number
        /**
         * @deprecated
         * @description Deprecated: the number of the page in version 1, counted from 1. Use `cursor`.
         */
        page?: number
      }
      path: {
        /** @description The workspace's id. */
        workspace_id: string
      }
    }
    requestBody?: never
    responses: {
      /** @description A page of the list. */
      200: {
        content: {
          "application/json": components["schemas"]["MemberPage"]
        }
      }
    }
  }
  getMember: {
    parameters: {
      query?: never
      path: {
        /** @description The workspace's id. */
        workspace_id: string
        /** @description The member's id. */
        id: string
      }
    }
    requestBody?: never
    responses: {
      /** @description Success. */
      200: {
        content: {
          "application/json": components["schemas"]["Member"]
        }
      }
    }
  }
  deleteMember: {
    parameters: {
      query?: never
      path: {
        /** @description The workspace's id. */
        workspace_id: string
        /** @description The member's id. */
        id: string
      }
    }
    requestBody?: never
    responses: {
      /** @description Success. */
      200: {
        content: {
          "application/json": components["schemas"]["Deleted"]
        }
      }
    }
  }
  updateMember: {
    parameters: {
      query?: never
      path: {
        /** @description The workspace's id. */
        workspace_id: string
        /** @description The member's id. */
        id: string
      }
    }
    requestBody: {
      content: {
        "application/json": components["schemas"]["MemberUpdate"]
      }
    }
    responses: {
      /** @description Success. */
      200: {
        content: {
          "application/json": components["schemas"]["Member"]
        }
      }
    }
  }
  listNotebooks: {
    parameters: {
      query?: {
        /** @description The maximum number of items in a page. A page may have fewer; `has_more` says whether there is another. */
        limit?: number
        /** @description `next_cursor` of the previous page. It is valid only with the same path, sort, filter and workspace. */
        cursor?: string
        /** @description One or several fields separated by commas, with `-` before a field for descending order: `name`, `note_count`, `created_at`, `updated_at`. Ties are broken by `id`. */
        sort?: (
          | "name"
          | "-name"
          | "note_count"
          | "-note_count"
          | "created_at"
          | "-created_at"
          | "updated_at"
          | "-updated_at"
        )[]
        /** @description An expression such as `created_at>2026-01-01` over `id`, `name`, `color`, `icon`, `parent_id`, `note_count`, `created_at`, `updated_at`. */
        filter?: string
        /**
         * @deprecated
         * @description Deprecated: the name of `limit` in version 1.
         */
        per_page?: number
        /**
         * @deprecated
         * @description Deprecated: the number of the page in version 1, counted from 1. Use `cursor`.
         */
        page?: number
      }
      path?: never
    }
    requestBody?: never
    responses: {
      /** @description A page of the list. */
      200: {
        content: {
          "application/json": components["schemas"]["NotebookPage"]
        }
      }
    }
  }
  createNotebook: {
    parameters: {
      query?: never
      path?: never
    }
    requestBody: {
      content: {
        "application/json": components["schemas"]["NotebookCreate"]
      }
    }
    responses: {
      /** @description Success. */
      201: {
        content: {
          "application/json": components["schemas"]["Notebook"]
        }
      }
    }
  }
  getNotebook: {
    parameters: {
      query?: never
      path: {
        /** @description The notebook's id. */
        id: string
      }
    }
    requestBody?: never
    responses: {
      /** @description Success. */
      200: {
        content: {
          "application/json": components["schemas"]["Notebook"]
        }
      }
    }
  }
  deleteNotebook: {
    parameters: {
      query?: {
        /** @description The notebook to move the notes into, instead of the trash. */
        move_notes_to?: string
      }
      path: {
        /** @description The notebook's id. */
        id: string
      }
    }
    requestBody?: never
    responses: {
      /** @description Success. */
      200: {
        content: {
          "application/json": components["schemas"]["Deleted"]
        }
      }
    }
  }
  updateNotebook: {
    parameters: {
      query?: never
      path: {
        /** @description The notebook's id. */
        id: string
      }
    }
    requestBody: {
      content: {
        "application/json": components["schemas"]["NotebookUpdate"]
      }
    }
    responses: {
      /** @description Success. */
      200: {
        content: {
          "application/json": components["schemas"]["Notebook"]
        }
      }
    }
  }
  moveNotebook: {
    parameters: {
      query?: never
      path: {
        /** @description The notebook's id. */
        id: string
      }
    }
    requestBody: {
      content: {
        "application/json": components["schemas"]["NotebookMove"]
      }
    }
    responses: {
      /** @description Success. */
      200: {
        content: {
          "application/json": components["schemas"]["Notebook"]
        }
      }
    }
  }
  restoreNotebook: {
    parameters: {
      query?: never
      path: {
        /** @description The notebook's id. */
        id: string
      }
    }
    requestBody?: {
      content: {
        "application/json": components["schemas"]["NotebookRestore"]
      }
    }
    responses: {
      /** @description Success. */
      200: {
        content: {
          "application/json": components["schemas"]["Notebook"]
        }
      }
    }
  }
  listNotes: {
    parameters: {
      query?: {
        /** @description The maximum number of items in a page. A page may have fewer; `has_more` says whether there is another. */
        limit?: number
        /** @description `next_cursor` of the previous page. It is valid only with the same path, sort, filter and workspace. */
        cursor?: string
        /** @description One or several fields separated by commas, with `-` before a field for descending order: `updated_at`, `created_at`, `title`, `word_count`, `version`, `pinned`, `deleted_at`. Ties are broken by `id`. */
        sort?: (
          | "updated_at"
          | "-updated_at"
          | "created_at"
          | "-created_at"
          | "title"
          | "-title"
          | "word_count"
          | "-word_count"
          | "version"
          | "-version"
          | "pinned"
          | "-pinned"
          | "deleted_at"
          | "-deleted_at"
        )[]
        /** @description An expression such as `title:meeting AND pinned=true` over `id`, `notebook_id`, `title`, `body`, `tags`, `pinned`, `archived`, `version`, `word_count`, `created_at`, `updated_at`, `deleted_at`. */
        filter?: string
        /**
         * @deprecated
         * @description Deprecated: the name of `limit` in version 1.
         */
        per_page?: number
        /**
         * @deprecated
         * @description Deprecated: the number of the page in version 1, counted from 1. Use `cursor`.
         */
        page?: number
      }
      path?: never
    }
    requestBody?: never
    responses: {
      /** @description A page of the list. */
      200: {
        content: {
          "application/json": components["schemas"]["NotePage"]
        }
      }
    }
  }
  createNote: {
    parameters: {
      query?: never
      path?: never
    }
    requestBody: {
      content: {
        "application/json": components["schemas"]["NoteCreate"]
      }
    }
    responses: {
      /** @description Success. */
      201: {
        content: {
          "application/json": components["schemas"]["Note"]
        }
      }
    }
  }
  listNoteSummaries: {
    parameters: {
      query?: {
        /** @description The maximum number of items in a page. A page may have fewer; `has_more` says whether there is another. */
        limit?: number
        /** @description `next_cursor` of the previous page. It is valid only with the same path, sort, filter and workspace. */
        cursor?: string
        /** @description One or several fields separated by commas, with `-` before a field for descending order: `updated_at`, `created_at`, `title`, `word_count`, `version`, `pinned`, `deleted_at`. Ties are broken by `id`. */
        sort?: (
          | "updated_at"
          | "-updated_at"
          | "created_at"
          | "-created_at"
          | "title"
          | "-title"
          | "word_count"
          | "-word_count"
          | "version"
          | "-version"
          | "pinned"
          | "-pinned"
          | "deleted_at"
          | "-deleted_at"
        )[]
        /** @description An expression such as `title:meeting AND pinned=true` over `id`, `notebook_id`, `title`, `body`, `tags`, `pinned`, `archived`, `version`, `word_count`, `created_at`, `updated_at`, `deleted_at`. */
        filter?: string
        /**
         * @deprecated
         * @description Deprecated: the name of `limit` in version 1.
         */
        per_page?: number
        /**
         * @deprecated
         * @description Deprecated: the number of the page in version 1, counted from 1. Use `cursor`.
         */
        page?: number
      }
      path?: never
    }
    requestBody?: never
    responses: {
      /** @description A page of the list. */
      200: {
        content: {
          "application/json": components["schemas"]["NoteSummaryPage"]
        }
      }
    }
  }
  getNote: {
    parameters: {
      query?: never
      path: {
        /** @description The note's id. */
        id: string
      }
    }
    requestBody?: never
    responses: {
      /** @description Success. */
      200: {
        content: {
          "application/json": components["schemas"]["Note"]
        }
      }
    }
  }
  deleteNote: {
    parameters: {
      query?: {
        /** @description Whether to erase the note at once. */
        permanent?: boolean
      }
      path: {
        /** @description The note's id. */
        id: string
      }
    }
    requestBody?: never
    responses: {
      /** @description Success. */
      200: {
        content: {
          "application/json": components["schemas"]["Deleted"]
        }
      }
    }
  }
  updateNote: {
    parameters: {
      query?: never
      path: {
        /** @description The note's id. */
        id: string
      }
    }
    requestBody: {
      content: {
        "application/json": components["schemas"]["NoteUpdate"]
      }
    }
    responses: {
      /** @description Success. */
      200: {
        content: {
          "application/json": components["schemas"]["Note"]
        }
      }
    }
  }
  renderNote: {
    parameters: {
      query?: never
      path: {
        /** @description The note's id. */
        id: string
      }
    }
    requestBody?: never
    responses: {
      /** @description Success. */
      200: {
        content: {
          "application/json": components["schemas"]["RenderedNote"]
        }
      }
    }
  }
  duplicateNote: {
    parameters: {
      query?: never
      path: {
        /** @description The note's id. */
        id: string
      }
    }
    requestBody?: {
      content: {
        "application/json": components["schemas"]["NoteUpdate"]
      }
    }
    responses: {
      /** @description Success. */
      200: {
        content: {
          "application/json": components["schemas"]["Note"]
        }
      }
    }
  }
  archiveNote: {
    parameters: {
      query?: never
      path: {
        /** @description The note's id. */
        id: string
      }
    }
    requestBody?: {
      content: {
        "application/json": components["schemas"]["NoteUpdate"]
      }
    }
    responses: {
      /** @description Success. */
      200: {
        content: {
          "application/json": components["schemas"]["Note"]
        }
      }
    }
  }
  restoreNote: {
    parameters: {
      query?: never
      path: {
        /** @description The note's id. */
        id: string
      }
    }
    requestBody?: {
      content: {
        "application/json": components["schemas"]["NoteUpdate"]
      }
    }
    responses: {
      /** @description Success. */
      200: {
        content: {
          "application/json": components["schemas"]["Note"]
        }
      }
    }
  }
  listNoteActivity: {
    parameters: {
      query?: {
        /** @description The maximum number of items in a page. A page may have fewer; `has_more` says whether there is another. */
        limit?: number
        /** @description `next_cursor` of the previous page. It is valid only with the same path, sort, filter and workspace. */
        cursor?: string
      }
      path: {
        /** @description The note's id. */
        id: string
      }
    }
    requestBody?: never
    responses: {
      /** @description A page of the list. */
      200: {
        content: {
          "application/json": components["schemas"]["NoteActivityPage"]
        }
      }
    }
  }
  listNoteVersions: {
    parameters: {
      query?: {
        /** @description The maximum number of items in a page. A page may have fewer; `has_more` says whether there is another. */
        limit?: number
        /** @description `next_cursor` of the previous page. It is valid only with the same path, sort, filter and workspace. */
        cursor?: string
      }
      path: {
        /** @description The note's id. */
        id: string
      }
    }
    requestBody?: never
    responses: {
      /** @description A page of the list. */
      200: {
        content: {
          "application/json": components["schemas"]["NoteVersionPage"]
        }
      }
    }
  }
  getNoteVersion: {
    parameters: {
      query?: never
      path: {
        /** @description The note's id. */
        id: string
        /** @description The version's number. */
        version: number
      }
    }
    requestBody?: never
    responses: {
      /** @description Success. */
      200: {
        content: {
          "application/json": components["schemas"]["NoteVersion"]
        }
      }
    }
  }
  deleteNoteVersion: {
    parameters: {
      query?: never
      path: {
        /** @description The note's id. */
        id: string
        /** @description The version's number. */
        version: number
      }
    }
    requestBody?: never
    responses: {
      /** @description Success. */
      200: {
        content: {
          "application/json": components["schemas"]["DeletedVersion"]
        }
      }
    }
  }
  restoreNoteVersion: {
    parameters: {
      query?: never
      path: {
        /** @description The note's id. */
        id: string
        /** @description The version's number. */
        version: number
      }
    }
    requestBody?: {
      content: {
        "application/json": components["schemas"]["NoteUpdate"]
      }
    }
    responses: {
      /** @description Success. */
      200: {
        content: {
          "application/json": components["schemas"]["Note"]
        }
      }
    }
  }
  listReminders: {
    parameters: {
      query?: {
        /** @description The maximum number of items in a page. A page may have fewer; `has_more` says whether there is another. */
        limit?: number
        /** @description `next_cursor` of the previous page. It is valid only with the same path, sort, filter and workspace. */
        cursor?: string
        /** @description One or several fields separated by commas, with `-` before a field for descending order: `remind_at`, `created_at`. Ties are broken by `id`. */
        sort?: ("remind_at" | "-remind_at" | "created_at" | "-created_at")[]
        /** @description An expression such as `remind_at>2026-01-01` over `id`, `note_id`, `remind_at`, `channel`, `done`. */
        filter?: string
        /**
         * @deprecated
         * @description Deprecated: the name of `limit` in version 1.
         */
        per_page?: number
        /**
         * @deprecated
         * @description Deprecated: the number of the page in version 1, counted from 1. Use `cursor`.
         */
        page?: number
      }
      path?: never
    }
    requestBody?: never
    responses: {
      /** @description A page of the list. */
      200: {
        content: {
          "application/json": components["schemas"]["ReminderPage"]
        }
      }
    }
  }
  createReminder: {
    parameters: {
      query?: never
      path?: never
    }
    requestBody: {
      content: {
        "application/json": components["schemas"]["ReminderCreate"]
      }
    }
    responses: {
      /** @description Success. */
      201: {
        content: {
          "application/json": components["schemas"]["Reminder"]
        }
      }
    }
  }
  getReminderChannels: {
    parameters: {
      query?: never
      path?: never
    }
    requestBody?: never
    responses: {
      /** @description Success. */
      200: {
        content: {
          "application/json": components["schemas"]["ReminderChannels"]
        }
      }
    }
  }
  getReminder: {
    parameters: {
      query?: never
      path: {
        /** @description The reminder's id. */
        id: string
      }
    }
    requestBody?: never
    responses: {
      /** @description Success. */
      200: {
        content: {
          "application/json": components["schemas"]["Reminder"]
        }
      }
    }
  }
  deleteReminder: {
    parameters: {
      query?: never
      path: {
        /** @description The reminder's id. */
        id: string
      }
    }
    requestBody?: never
    responses: {
      /** @description Success. */
      200: {
        content: {
          "application/json": components["schemas"]["Deleted"]
        }
      }
    }
  }
  updateReminder: {
    parameters: {
      query?: never
      path: {
        /** @description The reminder's id. */
        id: string
      }
    }
    requestBody: {
      content: {
        "application/json": components["schemas"]["ReminderUpdate"]
      }
    }
    responses: {
      /** @description Success. */
      200: {
        content: {
          "application/json": components["schemas"]["Reminder"]
        }
      }
    }
  }
  searchNotes: {
    parameters: {
      query?: never
      path?: never
    }
    requestBody: {
      content: {
        "application/json": components["schemas"]["SearchRequest"]
      }
    }
    responses: {
      /** @description Success. */
      201: {
        content: {
          "application/json": components["schemas"]["SearchResult"]
        }
      }
    }
  }
  suggestCompletions: {
    parameters: {
      query?: {
        /** @description The prefix to complete. */
        q?: string
        /** @description Another name of `q`. */
        prefix?: string
        /** @description The maximum number of completions; at most ten are returned. */
        limit?: number
      }
      path?: never
    }
    requestBody?: never
    responses: {
      /** @description A page of the list. */
      200: {
        content: {
          "application/json": components["schemas"]["SuggestionPage"]
        }
      }
    }
  }
  listShares: {
    parameters: {
      query?: {
        /** @description The maximum number of items in a page. A page may have fewer; `has_more` says whether there is another. */
        limit?: number
        /** @description `next_cursor` of the previous page. It is valid only with the same path, sort, filter and workspace. */
        cursor?: string
        /** @description One or several fields separated by commas, with `-` before a field for descending order: `created_at`, `expires_at`. Ties are broken by `id`. */
        sort?: ("created_at" | "-created_at" | "expires_at" | "-expires_at")[]
        /** @description An expression such as `expires_at>2026-01-01` over `id`, `note_id`, `password_protected`, `expires_at`, `created_at`. */
        filter?: string
        /**
         * @deprecated
         * @description Deprecated: the name of `limit` in version 1.
         */
        per_page?: number
        /**
         * @deprecated
         * @description Deprecated: the number of the page in version 1, counted from 1. Use `cursor`.
         */
        page?: number
      }
      path?: never
    }
    requestBody?: never
    responses: {
      /** @description A page of the list. */
      200: {
        content: {
          "application/json": components["schemas"]["SharePage"]
        }
      }
    }
  }
  createShare: {
    parameters: {
      query?: never
      path?: never
    }
    requestBody: {
      content: {
        "application/json": components["schemas"]["ShareCreate"]
      }
    }
    responses: {
      /** @description Success. */
      201: {
        content: {
          "application/json": components["schemas"]["Share"]
        }
      }
    }
  }
  getShare: {
    parameters: {
      query?: never
      path: {
        /** @description The share's id. */
        id: string
      }
    }
    requestBody?: never
    responses: {
      /** @description Success. */
      200: {
        content: {
          "application/json": components["schemas"]["Share"]
        }
      }
    }
  }
  deleteShare: {
    parameters: {
      query?: never
      path: {
        /** @description The share's id. */
        id: string
      }
    }
    requestBody?: never
    responses: {
      /** @description Success. */
      200: {
        content: {
          "application/json": components["schemas"]["Deleted"]
        }
      }
    }
  }
  updateShare: {
    parameters: {
      query?: never
      path: {
        /** @description The share's id. */
        id: string
      }
    }
    requestBody: {
      content: {
        "application/json": components["schemas"]["ShareUpdate"]
      }
    }
    responses: {
      /** @description Success. */
      200: {
        content: {
          "application/json": components["schemas"]["Share"]
        }
      }
    }
  }
  pullChanges: {
    parameters: {
      query?: never
      path?: never
    }
    requestBody?: {
      content: {
        "application/json": components["schemas"]["PullRequest"]
      }
    }
    responses: {
      /** @description Success. */
      201: {
        content: {
          "application/json": components["schemas"]["SyncObject"]
        }
      }
    }
  }
  pushChanges: {
    parameters: {
      query?: never
      path?: never
    }
    requestBody: {
      content: {
        "application/json": components["schemas"]["PushRequest"]
      }
    }
    responses: {
      /** @description Success. */
      201: {
        content: {
          "application/json": components["schemas"]["PushAnswer"]
        }
      }
    }
  }
  streamChanges: {
    parameters: {
      query?: {
        /** @description Where to start: the cursor of a pull or of an earlier event, with the same `types`. */
        cursor?: string
        /** @description Accepted and ignored: a stream has no pages. */
        limit?: number
        /** @description Only changes of records of these types; without it, of all types. The cursors of the stream are valid only with the same types, in pulls too. */
        types?: ("notebook" | "tag" | "template" | "note" | "attachment" | "reminder" | "comment")[]
      }
      path?: never
    }
    requestBody?: never
    responses: {
      /** @description Success. */
      200: {
        content: {
          "text/event-stream": components["schemas"]["StreamData"]
        }
      }
    }
  }
  getSyncCursor: {
    parameters: {
      query?: {
        /** @description The maximum number of items in a page. A page may have fewer; `has_more` says whether there is another. */
        limit?: number
        /** @description `next_cursor` of the previous page. It is valid only with the same path, sort, filter and workspace. */
        cursor?: string
        /** @description Accepted and ignored. */
        sort?: string
        /** @description Accepted and ignored. */
        filter?: string
        /**
         * @deprecated
         * @description Deprecated: the name of `limit` in version 1.
         */
        per_page?: number
        /**
         * @deprecated
         * @description Deprecated: the number of the page in version 1, counted from 1. Use `cursor`.
         */
        page?: number
      }
      path?: never
    }
    requestBody?: never
    responses: {
      /** @description Success. */
      200: {
        content: {
          "application/json": components["schemas"]["NewestCursor"]
        }
      }
    }
  }
  listDevices: {
    parameters: {
      query?: {
        /** @description The maximum number of items in a page. A page may have fewer; `has_more` says whether there is another. */
        limit?: number
        /** @description `next_cursor` of the previous page. It is valid only with the same path, sort, filter and workspace. */
        cursor?: string
        /** @description One or several fields separated by commas, with `-` before a field for descending order: `created_at`, `name`, `last_sync_at`, `last_used_at`. Ties are broken by `id`. */
        sort?: (
          | "created_at"
          | "-created_at"
          | "name"
          | "-name"
          | "last_sync_at"
          | "-last_sync_at"
          | "last_used_at"
          | "-last_used_at"
        )[]
        /** @description An expression such as `last_sync_at>2026-01-01` over `id`, `name`, `platform`, `current`, `last_sync_at`, `last_used_at`, `created_at`. */
        filter?: string
        /**
         * @deprecated
         * @description Deprecated: the name of `limit` in version 1.
         */
        per_page?: number
        /**
         * @deprecated
         * @description Deprecated: the number of the page in version 1, counted from 1. Use `cursor`.
         */
        page?: number
      }
      path?: never
    }
    requestBody?: never
    responses: {
      /** @description A page of the list. */
      200: {
        content: {
          "application/json": components["schemas"]["DevicePage"]
        }
      }
    }
  }
  deleteDevice: {
    parameters: {
      query?: never
      path: {
        /** @description The device's id. */
        id: string
      }
    }
    requestBody?: never
    responses: {
      /** @description Success. */
      200: {
        content: {
          "application/json": components["schemas"]["Deleted"]
        }
      }
    }
  }
  getPushSubscription: {
    parameters: {
      query?: never
      path: {
        /** @description The device's id. */
        id: string
      }
    }
    requestBody?: never
    responses: {
      /** @description Success. */
      200: {
        content: {
          "application/json": components["schemas"]["PushSubscription"]
        }
      }
    }
  }
  putPushSubscription: {
    parameters: {
      query?: never
      path: {
        /** @description The device's id. */
        id: string
      }
    }
    requestBody: {
      content: {
        "application/json": components["schemas"]["PushSubscribe"]
      }
    }
    responses: {
      /** @description Success. */
      200: {
        content: {
          "application/json": components["schemas"]["PushSubscription"]
        }
      }
    }
  }
  deletePushSubscription: {
    parameters: {
      query?: never
      path: {
        /** @description The device's id. */
        id: string
      }
    }
    requestBody?: never
    responses: {
      /** @description Success. */
      200: {
        content: {
          "application/json": components["schemas"]["Deleted"]
        }
      }
    }
  }
  listTags: {
    parameters: {
      query?: {
        /** @description The maximum number of items in a page. A page may have fewer; `has_more` says whether there is another. */
        limit?: number
        /** @description `next_cursor` of the previous page. It is valid only with the same path, sort, filter and workspace. */
        cursor?: string
        /** @description One or several fields separated by commas, with `-` before a field for descending order: `name`, `note_count`, `created_at`. Ties are broken by `id`. */
        sort?: ("name" | "-name" | "note_count" | "-note_count" | "created_at" | "-created_at")[]
        /** @description An expression such as `created_at>2026-01-01` over `id`, `name`, `color`, `note_count`, `created_at`. */
        filter?: string
        /**
         * @deprecated
         * @description Deprecated: the name of `limit` in version 1.
         */
        per_page?: number
        /**
         * @deprecated
         * @description Deprecated: the number of the page in version 1, counted from 1. Use `cursor`.
         */
        page?: number
      }
      path?: never
    }
    requestBody?: never
    responses: {
      /** @description A page of the list. */
      200: {
        content: {
          "application/json": components["schemas"]["TagPage"]
        }
      }
    }
  }
  createTag: {
    parameters: {
      query?: never
      path?: never
    }
    requestBody: {
      content: {
        "application/json": components["schemas"]["TagCreate"]
      }
    }
    responses: {
      /** @description Success. */
      201: {
        content: {
          "application/json": components["schemas"]["Tag"]
        }
      }
    }
  }
  mergeTags: {
    parameters: {
      query?: never
      path?: never
    }
    requestBody: {
      content: {
        "application/json": components["schemas"]["TagMerge"]
      }
    }
    responses: {
      /** @description Success. */
      201: {
        content: {
          "application/json": components["schemas"]["Tag"]
        }
      }
    }
  }
  getTag: {
    parameters: {
      query?: never
      path: {
        /** @description The tag's id. */
        id: string
      }
    }
    requestBody?: never
    responses: {
      /** @description Success. */
      200: {
        content: {
          "application/json": components["schemas"]["Tag"]
        }
      }
    }
  }
  deleteTag: {
    parameters: {
      query?: never
      path: {
        /** @description The tag's id. */
        id: string
      }
    }
    requestBody?: never
    responses: {
      /** @description Success. */
      200: {
        content: {
          "application/json": components["schemas"]["Deleted"]
        }
      }
    }
  }
  updateTag: {
    parameters: {
      query?: never
      path: {
        /** @description The tag's id. */
        id: string
      }
    }
    requestBody: {
      content: {
        "application/json": components["schemas"]["TagUpdate"]
      }
    }
    responses: {
      /** @description Success. */
      200: {
        content: {
          "application/json": components["schemas"]["Tag"]
        }
      }
    }
  }
  listTemplates: {
    parameters: {
      query?: {
        /** @description The maximum number of items in a page. A page may have fewer; `has_more` says whether there is another. */
        limit?: number
        /** @description `next_cursor` of the previous page. It is valid only with the same path, sort, filter and workspace. */
        cursor?: string
        /** @description One or several fields separated by commas, with `-` before a field for descending order: `name`, `created_at`, `updated_at`. Ties are broken by `id`. */
        sort?: ("name" | "-name" | "created_at" | "-created_at" | "updated_at" | "-updated_at")[]
        /** @description An expression such as `created_at>2026-01-01` over `id`, `name`, `created_at`, `updated_at`. */
        filter?: string
        /**
         * @deprecated
         * @description Deprecated: the name of `limit` in version 1.
         */
        per_page?: number
        /**
         * @deprecated
         * @description Deprecated: the number of the page in version 1, counted from 1. Use `cursor`.
         */
        page?: number
      }
      path?: never
    }
    requestBody?: never
    responses: {
      /** @description A page of the list. */
      200: {
        content: {
          "application/json": components["schemas"]["TemplatePage"]
        }
      }
    }
  }
  createTemplate: {
    parameters: {
      query?: never
      path?: never
    }
    requestBody: {
      content: {
        "application/json": components["schemas"]["TemplateCreate"]
      }
    }
    responses: {
      /** @description Success. */
      201: {
        content: {
          "application/json": components["schemas"]["Template"]
        }
      }
    }
  }
  getTemplate: {
    parameters: {
      query?: never
      path: {
        /** @description The template's id. */
        id: string
      }
    }
    requestBody?: never
    responses: {
      /** @description Success. */
      200: {
        content: {
          "application/json": components["schemas"]["Template"]
        }
      }
    }
  }
  deleteTemplate: {
    parameters: {
      query?: never
      path: {
        /** @description The template's id. */
        id: string
      }
    }
    requestBody?: never
    responses: {
      /** @description Success. */
      200: {
        content: {
          "application/json": components["schemas"]["Deleted"]
        }
      }
    }
  }
  updateTemplate: {
    parameters: {
      query?: never
      path: {
        /** @description The template's id. */
        id: string
      }
    }
    requestBody: {
      content: {
        "application/json": components["schemas"]["TemplateUpdate"]
      }
    }
    responses: {
      /** @description Success. */
      200: {
        content: {
          "application/json": components["schemas"]["Template"]
        }
      }
    }
  }
  applyTemplate: {
    parameters: {
      query?: never
      path: {
        /** @description The template's id. */
        id: string
      }
    }
    requestBody?: {
      content: {
        "application/json": components["schemas"]["TemplateApply"]
      }
    }
    responses: {
      /** @description Success. */
      200: {
        content: {
          "application/json": components["schemas"]["AppliedTemplate"]
        }
      }
    }
  }
  getUsage: {
    parameters: {
      query?: {
        /** @description The maximum number of items in a page. A page may have fewer; `has_more` says whether there is another. */
        limit?: number
        /** @description `next_cursor` of the previous page. It is valid only with the same path, sort, filter and workspace. */
        cursor?: string
        /** @description Accepted and ignored. */
        sort?: string
        /** @description Accepted and ignored. */
        filter?: string
        /**
         * @deprecated
         * @description Deprecated: the name of `limit` in version 1.
         */
        per_page?: number
        /**
         * @deprecated
         * @description Deprecated: the number of the page in version 1, counted from 1. Use `cursor`.
         */
        page?: number
      }
      path?: never
    }
    requestBody?: never
    responses: {
      /** @description Success. */
      200: {
        content: {
          "application/json": components["schemas"]["Usage"]
        }
      }
    }
  }
  listWebhooks: {
    parameters: {
      query?: {
        /** @description The maximum number of items in a page. A page may have fewer; `has_more` says whether there is another. */
        limit?: number
        /** @description `next_cursor` of the previous page. It is valid only with the same path, sort, filter and workspace. */
        cursor?: string
        /** @description One or several fields separated by commas, with `-` before a field for descending order: `created_at`, `name`, `url`, `last_used_at`. Ties are broken by `id`. */
        sort?: ("created_at" | "-created_at" | "name" | "-name" | "url" | "-url" | "last_used_at" | "-last_used_at")[]
        /** @description An expression such as `created_at>2026-01-01` over `id`, `name`, `url`, `active`, `created_at`, `last_used_at`. */
        filter?: string
        /**
         * @deprecated
         * @description Deprecated: the name of `limit` in version 1.
         */
        per_page?: number
        /**
         * @deprecated
         * @description Deprecated: the number of the page in version 1, counted from 1. Use `cursor`.
         */
        page?: number
      }
      path?: never
    }
    requestBody?: never
    responses: {
      /** @description A page of the list. */
      200: {
        content: {
          "application/json": components["schemas"]["WebhookPage"]
        }
      }
    }
  }
  createWebhook: {
    parameters: {
      query?: never
      path?: never
    }
    requestBody: {
      content: {
        "application/json": components["schemas"]["WebhookCreate"]
      }
    }
    responses: {
      /** @description Success. */
      201: {
        content: {
          "application/json": components["schemas"]["Webhook"]
        }
      }
    }
  }
  getWebhook: {
    parameters: {
      query?: never
      path: {
        /** @description The webhook's id. */
        id: string
      }
    }
    requestBody?: never
    responses: {
      /** @description Success. */
      200: {
        content: {
          "application/json": components["schemas"]["Webhook"]
        }
      }
    }
  }
  deleteWebhook: {
    parameters: {
      query?: never
      path: {
        /** @description The webhook's id. */
        id: string
      }
    }
    requestBody?: never
    responses: {
      /** @description Success. */
      200: {
        content: {
          "application/json": components["schemas"]["Deleted"]
        }
      }
    }
  }
  updateWebhook: {
    parameters: {
      query?: never
      path: {
        /** @description The webhook's id. */
        id: string
      }
    }
    requestBody: {
      content: {
        "application/json": components["schemas"]["WebhookUpdate"]
      }
    }
    responses: {
      /** @description Success. */
      200: {
        content: {
          "application/json": components["schemas"]["Webhook"]
        }
      }
    }
  }
  testWebhook: {
    parameters: {
      query?: never
      path: {
        /** @description The webhook's id. */
        id: string
      }
    }
    requestBody?: {
      content: {
        "application/json": components["schemas"]["WebhookTest"]
      }
    }
    responses: {
      /** @description Success. */
      200: {
        content: {
          "application/json": components["schemas"]["Delivery"]
        }
      }
    }
  }
  listDeliveries: {
    parameters: {
      query?: {
        /** @description The maximum number of items in a page. A page may have fewer; `has_more` says whether there is another. */
        limit?: number
        /** @description `next_cursor` of the previous page. It is valid only with the same path, sort, filter and workspace. */
        cursor?: string
        /** @description One or several fields separated by commas, with `-` before a field for descending order: `created_at`. Ties are broken by `id`. */
        sort?: ("created_at" | "-created_at")[]
        /** @description An expression such as `created_at>2026-01-01` over `id`, `event_id`, `event_type`, `status`, `status_code`, `attempt`, `created_at`. */
        filter?: string
        /**
         * @deprecated
         * @description Deprecated: the name of `limit` in version 1.
         */
        per_page?: number
        /**
         * @deprecated
         * @description Deprecated: the number of the page in version 1, counted from 1. Use `cursor`.
         */
        page?: number
      }
      path: {
        /** @description The webhook's id. */
        id: string
      }
    }
    requestBody?: never
    responses: {
      /** @description A page of the list. */
      200: {
        content: {
          "application/json": components["schemas"]["DeliveryPage"]
        }
      }
    }
  }
  retryDelivery: {
    parameters: {
      query?: never
      path: {
        /** @description The webhook's id. */
        webhook_id: string
        /** @description The delivery's id. */
        id: string
      }
    }
    requestBody?: {
      content: {
        "application/json": components["schemas"]["WebhookTest"]
      }
    }
    responses: {
      /** @description Success. */
      200: {
        content: {
          "application/json": components["schemas"]["Delivery"]
        }
      }
    }
  }
  listWorkspaces: {
    parameters: {
      query?: {
        /** @description The maximum number of items in a page. A page may have fewer; `has_more` says whether there is another. */
        limit?: number
        /** @description `next_cursor` of the previous page. It is valid only with the same path, sort, filter and workspace. */
        cursor?: string
        /** @description One or several fields separated by commas, with `-` before a field for descending order: `created_at`, `name`. Ties are broken by `id`. */
        sort?: ("created_at" | "-created_at" | "name" | "-name")[]
        /** @description An expression such as `created_at>2026-01-01` over `id`, `name`, `slug`, `plan`, `created_at`. */
        filter?: string
        /**
         * @deprecated
         * @description Deprecated: the name of `limit` in version 1.
         */
        per_page?: number
        /**
         * @deprecated
         * @description Deprecated: the number of the page in version 1, counted from 1. Use `cursor`.
         */
        page?: number
      }
      path?: never
    }
    requestBody?: never
    responses: {
      /** @description A page of the list. */
      200: {
        content: {
          "application/json": components["schemas"]["WorkspacePage"]
        }
      }
    }
  }
  createWorkspace: {
    parameters: {
      query?: never
      path?: never
    }
    requestBody: {
      content: {
        "application/json": components["schemas"]["WorkspaceCreate"]
      }
    }
    responses: {
      /** @description Success. */
      201: {
        content: {
          "application/json": components["schemas"]["Workspace"]
        }
      }
    }
  }
  getWorkspace: {
    parameters: {
      query?: never
      path: {
        /** @description The workspace's id. */
        id: string
      }
    }
    requestBody?: never
    responses: {
      /** @description Success. */
      200: {
        content: {
          "application/json": components["schemas"]["Workspace"]
        }
      }
    }
  }
  deleteWorkspace: {
    parameters: {
      query?: {
        /** @description The slug of the workspace, as a confirmation. */
        confirm?: string
      }
      path: {
        /** @description The workspace's id. */
        id: string
      }
    }
    requestBody?: {
      content: {
        "application/json": components["schemas"]["WorkspaceDelete"]
      }
    }
    responses: {
      /** @description Success. */
      200: {
        content: {
          "application/json": components["schemas"]["Deleted"]
        }
      }
    }
  }
  updateWorkspace: {
    parameters: {
      query?: never
      path: {
        /** @description The workspace's id. */
        id: string
      }
    }
    requestBody: {
      content: {
        "application/json": components["schemas"]["WorkspaceUpdate"]
      }
    }
    responses: {
      /** @description Success. */
      200: {
        content: {
          "application/json": components["schemas"]["Workspace"]
        }
      }
    }
  }
  registerUser: {
    parameters: {
      query?: never
      path?: never
    }
    requestBody: {
      content: {
        "application/json": components["schemas"]["Register"]
      }
    }
    responses: {
      /** @description Success. */
      201: {
        content: {
          "application/json": components["schemas"]["TokenResponse"]
        }
      }
    }
  }
  logIn: {
    parameters: {
      query?: never
      path?: never
    }
    requestBody: {
      content: {
        "application/json": components["schemas"]["LogIn"]
      }
    }
    responses: {
      /** @description Success. */
      200: {
        content: {
          "application/json": components["schemas"]["TokenResponse"]
        }
      }
    }
  }
  refreshTokens: {
    parameters: {
      query?: never
      path?: never
    }
    requestBody: {
      content: {
        "application/json": components["schemas"]["Refresh"]
      }
    }
    responses: {
      /** @description Success. */
      200: {
        content: {
          "application/json": components["schemas"]["TokenResponse"]
        }
      }
    }
  }
  logOut: {
    parameters: {
      query?: never
      path?: never
    }
    requestBody?: {
      content: {
        "application/json": components["schemas"]["LogOut"]
      }
    }
    responses: {
      /** @description Success. */
      200: {
        content: {
          "application/json": components["schemas"]["Deleted"]
        }
      }
    }
  }
  changePassword: {
    parameters: {
      query?: never
      path?: never
    }
    requestBody: {
      content: {
        "application/json": components["schemas"]["PasswordChange"]
      }
    }
    responses: {
      /** @description Success. */
      200: {
        content: {
          "application/json": components["schemas"]["Changed"]
        }
      }
    }
  }
  forgotPassword: {
    parameters: {
      query?: never
      path?: never
    }
    requestBody: {
      content: {
        "application/json": components["schemas"]["PasswordForgotten"]
      }
    }
    responses: {
      /** @description Success. */
      200: {
        content: {
          "application/json": components["schemas"]["Accepted"]
        }
      }
    }
  }
  resetPassword: {
    parameters: {
      query?: never
      path?: never
    }
    requestBody: {
      content: {
        "application/json": components["schemas"]["PasswordReset"]
      }
    }
    responses: {
      /** @description Success. */
      200: {
        content: {
          "application/json": components["schemas"]["Changed"]
        }
      }
    }
  }
  getDescription: {
    parameters: {
      query?: never
      path?: never
    }
    requestBody?: never
    responses: {
      /** @description The document. */
      200: {
        content: {
          "application/json": {
            [key: string]: unknown
          }
        }
      }
    }
  }
  getErrorCode: {
    parameters: {
      query?: never
      path: {
        /** @description The problem's code. */
        code: string
      }
    }
    requestBody?: never
    responses: {
      /** @description Cause and remedy. */
      200: {
        content: {
          "application/json": components["schemas"]["ErrorCode"]
          "text/html": string
        }
      }
    }
  }
}
