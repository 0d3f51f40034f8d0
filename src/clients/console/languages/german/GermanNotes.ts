import { phrasesIn } from "../../../../../services/languages/Phrases.ts"
import type { Translation } from "../Translation.ts"

const { counted, list } = phrasesIn("de")

export const notes: Translation["notes"] = {
  trashed: {
    restore: "Wiederherstellen",
    erase: "Endgültig löschen",
    eraseConfirm: "Die Notiz und ihr Verlauf werden gelöscht. Das lässt sich nicht rückgängig machen.",
    inTrash: "Diese Notiz ist im Papierkorb."
  },
  missing: (id) =>
    `Die Notiz ${id} ist nicht hier. Sie wurde gelöscht oder gehört zu einem anderen Arbeitsbereich. Suchen Sie nach ihren Wörtern, oder sehen Sie im Papierkorb nach.`,
  openTrash: "Im Papierkorb nachsehen",
  waiting: {
    title: "Texte auf diesem Gerät",
    lead: "Sie werden gespeichert, sobald der Server erreichbar ist. Öffnen Sie die, die bleiben: Sie brauchen eine Entscheidung.",
    open: "Öffnen",
    discard: "Verwerfen"
  },

  boxMoved:
    "Die Zeile dieses Kästchens hat sich geändert. Nichts wurde abgehakt: Sehen Sie sich die Notiz an, wie sie jetzt ist.",

  conflict: {
    title: "Sie und jemand anderes haben denselben Titel geändert",
    lead: "Wählen Sie den Titel, oder den Text, falls beide zusammen zu lang sind. Der Verlauf enthält in jedem Fall beide.",
    mergedLead: "Die Notiz hat die Wörter von beiden. Der Verlauf enthält die Notiz, wie sie vorher war.",
    base: "Vorher",
    theirs: "Andere Fassung",
    yours: "Ihre Fassung",
    result: "Ergebnis",
    resultTitle: "Titel des Ergebnisses",
    useMerged: "Ergebnis speichern",
    useTheirs: "Andere Fassung verwenden",
    useYours: "Ihre Fassung verwenden"
  },

  history: {
    same: "Der Text ist derselbe wie vorher.",
    added: "hinzugefügt",
    removed: "entfernt",
    version: (version) => `Version ${version}`,
    current: "Aktuelle Version",
    by: (name) => `von ${name}`,
    showAll: "Jede Version zeigen",
    restore: "Diese Version wiederherstellen",
    restored: "Die Version ist wiederhergestellt.",
    restoresTags: (names) =>
      names.length === 0
        ? "Die Notiz verliert ihre Schlagwörter: Diese Version hat keine."
        : `Die Schlagwörter dieser Version kommen mit zurück: ${names.map((name) => `#${name}`).join(" ")}`
  },

  reminders: {
    when: "Wann",
    presets: { evening: "Heute Abend", tomorrow: "Morgen", week: "Nächste Woche" },
    add: "Erinnerung hinzufügen",
    channel: "Durch",
    channels: { push: "Benachrichtigung", email: "Mail", webhook: "Webhook" },
    done: "Erledigt",
    remove: (when) => `${when} entfernen`,
    none: "Keine Erinnerungen.",
    noMail: "Dieser Server sendet keine Mails.",
    noWebhook: "Webhook (keiner empfängt Erinnerungen)",
    onlyOpen: "Keines Ihrer Geräte erhält Benachrichtigungen. Die Erinnerung erscheint in Sheaf, solange es offen ist.",
    elsewhere: "Ein anderes Ihrer Geräte erhält Benachrichtigungen, dieses nicht.",
    subscribe: "Auf diesem Gerät benachrichtigen",
    denied: "Der Browser erlaubt dieser Seite keine Benachrichtigungen. Seine Einstellungen können das ändern.",
    fired: (title) => `Erinnerung: ${title}`,
    open: "Notiz öffnen",
    subscribed: "Dieses Gerät erhält Benachrichtigungen."
  },
  comments: {
    add: "Kommentieren",
    write: "Kommentar schreiben",
    reply: "Antworten",
    resolve: "Erledigen",
    reopen: "Wieder öffnen",
    remove: "Löschen",
    deleted: "Dieser Kommentar wurde gelöscht.",
    none: "Noch keine Kommentare."
  },
  shares: {
    lead: "Wer den Link hat, kann den aktuellen Text dieser Notiz lesen.",
    create: "Link erstellen",
    password: "Passwort (optional)",
    passwordHint: "Mindestens 8 Zeichen",
    expires: "Endet (optional)",
    copy: "Link kopieren",
    remove: "Diesen Link beenden",
    protected: "mit Passwort",
    until: (when) => `bis ${when}`,
    views: (count) => counted(count, "Aufruf", "Aufrufe")
  }
}

export const attaching: Translation["attaching"] = {
  uploading: (name, percent) => `${name}: ${percent} %`,
  tooLarge: (name) => `${name} ist größer, als der Tarif erlaubt.`,
  unreadable: (name) => `${name} kann nicht gelesen werden. Ordner lassen sich nicht anhängen.`,
  notAttached: (name, reason) => `${name} wurde nicht angehängt: ${reason}`
}

export const activity: Translation["activity"] = {
  sentence: (who, what, device, means) =>
    [who, what, ...(device === undefined ? [] : [`(auf ${device})`]), ...(means === undefined ? [] : [means])].join(
      " "
    ),
  byApp: (app) => `durch ${app}`,
  byTool: (tool) => `durch einen Assistenten (${tool})`,
  byImport: "durch einen Import",
  byUndo: "durch Rückgängigmachen",
  withKey: (name, key) => `${name}, mit dem API-Schlüssel${key === undefined ? "" : ` ${key}`},`,
  formerMember: "Ein früheres Mitglied",
  fields: {
    body: "den Text",
    title: "den Titel",
    tags: "die Schlagwörter",
    pinned: "die Anheftung",
    notebook_id: "das Notizbuch"
  },
  otherField: "die Notiz",
  list: (names) => list(names),
  changed: (what) => `hat ${what} geändert`,
  moved: "hat die Notiz in ein anderes Notizbuch verschoben",
  merged: (version) => `hat eine Änderung mit Version ${version} zusammengeführt`,
  restoredVersion: (version) => `hat Version ${version} wiederhergestellt`,
  deletedVersion: (version) => `hat Version ${version} aus dem Verlauf gelöscht`,
  created: "hat die Notiz erstellt",
  imported: "hat die Notiz importiert",
  copied: "hat eine Konfliktkopie erstellt",
  isCopy: "hat diese Notiz als Konfliktkopie erstellt",
  restored: "hat die Notiz aus dem Papierkorb geholt",
  unarchived: "hat die Notiz aus dem Archiv geholt",
  conflict: (edited, present) =>
    `hat eine widersprüchliche Änderung gesendet (von Version ${edited}, während ${present === null ? "die Notiz fehlte" : `Version ${present} neuer war`})`,
  actions: {
    "note.archived": "hat die Notiz ins Archiv verschoben",
    "note.deleted": "hat die Notiz in den Papierkorb verschoben",
    "attachment.created": "hat eine Datei hinzugefügt",
    "attachment.ready": "hat eine Datei hochgeladen",
    "attachment.updated": "hat eine Datei geändert",
    "attachment.deleted": "hat eine Datei entfernt",
    "comment.created": "hat einen Kommentar geschrieben",
    "comment.updated": "hat einen Kommentar geändert",
    "comment.resolved": "hat einen Kommentar erledigt",
    "comment.deleted": "hat einen Kommentar gelöscht",
    "reminder.created": "hat eine Erinnerung angelegt",
    "reminder.updated": "hat eine Erinnerung geändert",
    "reminder.fired": "hat eine Erinnerung gesendet",
    "reminder.deleted": "hat eine Erinnerung entfernt",
    "share.created": "hat die Notiz durch einen Link geteilt",
    "share.updated": "hat einen Link geändert",
    "share.deleted": "hat einen Link beendet"
  },
  versions: (newest, oldest) => (newest === oldest ? `Version ${newest}` : `Versionen ${oldest} bis ${newest}`),
  openCopy: "Kopie öffnen",
  openOriginal: "Original öffnen",
  undo: (who) => `Änderungen rückgängig machen: ${who}`,
  undoAgain: "Das Rückgängigmachen aufheben",
  theImport: "Import",
  more: "Mehr laden",
  none: "In den letzten 90 Tagen ist nichts geschehen."
}

export const shared: Translation["shared"] = {
  title: "Mit Sheaf geteilt",
  lead: (time) => `Eine andere App auf diesem Gerät hat dies geteilt, ${time}. Als Notiz speichern?`,
  unchecked:
    "Die Herkunft ist nicht geprüft: Eine andere Website könnte dies gesendet haben. Speichern Sie es nur, wenn Sie es selbst geteilt haben.",
  later: "Es bleibt auf diesem Gerät. Die Notiz entsteht, sobald der Server erreichbar ist und Sie angemeldet sind.",
  files: "Dateien",
  save: "Als Notiz speichern",
  discard: "Verwerfen",
  discardConfirm: "Das Geteilte verwerfen? Das lässt sich nicht rückgängig machen.",
  outcomes: {
    kept: "Der Server ist nicht erreichbar. Das Geteilte bleibt auf diesem Gerät, bis Sie es hier als Notiz speichern.",
    foreign:
      "Eine Seite einer anderen Website hat etwas an Sheaf gesendet. Es wurde verworfen: Nur Apps auf diesem Gerät können teilen.",
    lost: "Das Geteilte konnte nicht aufbewahrt werden. Bitte noch einmal teilen.",
    full: "Dieser Browser hat keinen Platz für das Geteilte. Bitte Speicher freigeben und noch einmal versuchen.",
    many: "Das Geteilte wurde nicht aufbewahrt, weil schon 20 Inhalte warten. Bitte diese speichern oder verwerfen und noch einmal teilen.",
    large:
      "Das Geteilte wurde nicht aufbewahrt: Ein Text darf 1 MB haben, alles Wartende zusammen 32 MB. Laden Sie Dateien in einer Notiz hoch."
  }
}

export const offline: Translation["offline"] = {
  notKept: "Offline. Das ist nicht auf diesem Gerät."
}

export const start: Translation["start"] = {
  navigation: "Schritte",
  account: "Konto",
  steps: {
    import: {
      title: "Notizen mitbringen",
      name: "Notizen",
      lead: "Importieren Sie einen Vault oder den Export einer anderen App, jetzt oder später im Kontomenü."
    },
    connect: {
      title: "App verbinden",
      name: "Apps (optional)",
      lead: "Assistenten und Apps erreichen Ihre Notizen mit der Adresse dieses Servers und einem Schlüssel. Diese Seite steht auch im Kontomenü."
    }
  },
  isDone: "erledigt",
  write: "Erste Notiz schreiben",
  connect: "App verbinden (optional)",
  toNotes: "Zu den Notizen",

  key: {
    title: "API-Schlüssel",
    lead: "Ein Schlüssel gilt in diesem Arbeitsbereich, bis Sie ihn in den Einstellungen widerrufen.",
    nameHint: "Zum Beispiel der Name der App",
    initialName: "Assistent",
    rights: "Zugriff",
    rightsNames: { read: "Nur lesen", write: "Lesen und schreiben" },
    secret: (name) => `Schlüssel „${name}“`,
    secretHint: "Er wird nicht noch einmal gezeigt."
  },
  assistant: {
    title: "Assistent",
    lead: "Ein Assistent mit MCP liest Notizen und ändert Teile davon. Kein Werkzeug löscht eine Notiz endgültig.",
    address: "Adresse des MCP-Servers",
    addressHint:
      "Geben Sie sie dort ein, wo Ihr Assistent einen Konnektor oder MCP-Server hinzufügt. Diese Konsole öffnet sich, und Sie lassen ihn zu.",
    withKey: "Assistenten, die einen Schlüssel brauchen",
    client: "Konfiguration für",
    configuration: (file) => `Inhalt von ${file}`,
    keys: {
      variable: "Der Assistent liest den Schlüssel aus der Umgebungsvariablen SHEAF_KEY.",
      content: "Der Schlüssel steht in der Datei. Geben Sie sie nicht weiter.",
      question: "Das Programm fragt nach dem Schlüssel und bewahrt ihn auf."
    }
  },
  app: {
    title: "App",
    lead: "Eine App, die Notizen synchronisiert, fragt nach dieser Adresse. Der Code öffnet sie auf einem Telefon.",
    address: "Adresse für Apps",
    code: (address) => `QR-Code der Adresse ${address}`,
    onlyHere:
      "Nur dieses Gerät erreicht diese Adresse. Geben Sie dem Server mit HOST und PUBLIC_URL eine für andere Geräte, und öffnen Sie dort die Konsole."
  },
  copy: (what) => `Kopieren: ${what}`
}
