import type { Translation } from "../Translation.ts"

const ownerOnly = "Nur wer einen Schlüssel erstellt hat, kann ihm ein neues Geheimnis geben."

export const keys: Translation["settings"]["keys"] = {
  title: "Schlüssel",
  lead: "Programme verwenden die API mit einem Schlüssel. Er hat die Rolle der Person, die ihn erstellt hat.",
  create: "Neuer Schlüssel",
  nameHint: "Wer ihn verwendet, zum Beispiel „Sicherungsskript“",
  scopes: "Er darf",
  scopeNames: {
    "notes:read": "Notizen lesen",
    "notes:write": "Notizen schreiben",
    "files:read": "Dateien lesen",
    "files:write": "Dateien schreiben",
    "export:read": "Exporte lesen",
    "export:write": "Exporte erstellen",
    "members:read": "Mitglieder lesen",
    "members:write": "Mitglieder ändern",
    "keys:read": "Schlüssel lesen",
    "keys:write": "Schlüssel erstellen",
    "webhooks:read": "Webhooks lesen",
    "webhooks:write": "Webhooks ändern",
    "audit:read": "das Protokoll lesen",
    profile: "das Profil lesen"
  },
  noScope: "Wählen Sie mindestens eines.",
  expires: "Endet (optional)",
  secret: (name) => `Geheimnis von „${name}“`,
  secretHint: "Es wird nur jetzt gezeigt. Bewahren Sie es auf wie ein Passwort.",
  begins: "Beginnt mit",
  none: "Es gibt keine Schlüssel.",
  rotate: "Neues Geheimnis",
  rotateOf: (name) => `Neues Geheimnis für ${name}`,
  rotated: (until) => `Das vorige Geheimnis gilt bis ${until}.`,
  revoke: "Widerrufen…",
  revokeOf: (name) => `${name} widerrufen`,
  revokeConfirm: "Programme mit diesem Schlüssel werden sofort abgewiesen.",
  revokeButton: "Schlüssel widerrufen",
  isEnded: "beendet",
  problems: { not_found: ownerOnly, forbidden: ownerOnly }
}

export const reach: Translation["settings"]["reach"] = {
  title: "Zugriff auf",
  limited: "Alles andere bleibt verborgen."
}

export const apps: Translation["settings"]["apps"] = {
  lead: "Assistenten und Programme, die für Sie handeln, jedes in einem Arbeitsbereich. Sie kennen nie Ihr Passwort.",
  none: "Sie haben keine App verbunden.",
  name: "App",
  left: "ein Arbeitsbereich, den Sie verlassen haben",
  may: "Sie darf",
  end: "Trennen…",
  endOf: (name) => `${name} trennen`,
  endConfirm: "Sie wird sofort abgewiesen. Was sie geschrieben hat, bleibt.",
  endButton: "Trennen",
  connect: "Eine App verbinden",
  connectLead:
    "Geben Sie diese Adresse in Ihrem Assistenten ein, als Konnektor oder MCP-Server. Er schickt Sie auf diese Seite, auf der Sie ihn zulassen.",
  ask: (name) => `${name} zulassen?`,
  account: (email) => `Die App bittet um Zugriff mit Ihrem Konto ${email}.`,
  knownByDocument: (host) => `Sie beschreibt sich auf ${host}.`,
  knownBy: {
    registration: "Den Namen gibt sich die App selbst: Jeder kann ihn wählen.",
    operator: "Der Betreiber dieses Servers kennt sie."
  },
  goesTo: (host) => `Ihr Browser geht zu ${host}, das den Zugriff bekommt.`,
  local: (place) =>
    `Ihr Browser geht zu einem Programm auf diesem Gerät (${place}), das den Zugriff bekommt. Lassen Sie es nur zu, wenn Sie gerade begonnen haben, es zu verbinden.`,
  shares: "Sie darf auch Notizen über Freigabelinks veröffentlichen, die jeder öffnen kann, der sie hat.",
  never:
    "Sie kann Ihr Konto nicht ändern, keine Schlüssel erstellen, den Arbeitsbereich nicht exportieren und niemanden einladen.",
  refuse: "Ablehnen",
  allow: "Zulassen",
  problems: { validation_failed: "Die App hat eine ungültige Anfrage gesendet. Beginnen Sie dort von vorn." }
}

export const webhooks: Translation["settings"]["webhooks"] = {
  title: "In diesem Arbeitsbereich",
  lead: "Der Server sendet Ereignisse dieses Arbeitsbereichs an diese Adressen, signiert nach Standard Webhooks.",
  none: "Es gibt keine Webhooks.",
  create: "Neuer Webhook",
  urlHint: "Eine https-Adresse eines öffentlichen Hosts",
  events: "Ereignisse",
  all: "Alle Ereignisse, auch die späterer Versionen",
  allOf: (resource) => `Alle von ${resource}.*`,
  single: (resource) => `Ereignisse von ${resource}`,
  submit: "Webhook hinzufügen",
  save: "Webhook speichern",
  active: "aktiv",
  paused: "pausiert",
  reasons: {
    gone: "Pausiert: Die Adresse hat geantwortet, dass es sie nicht mehr gibt.",
    failing: "Pausiert: Fünf Tage lang sind alle Zustellungen fehlgeschlagen.",
    creator_left: "Pausiert: Die Person, die ihn erstellt hat, ist nicht mehr Mitglied.",
    key_ended: "Pausiert: Der API-Schlüssel, der ihn erstellt hat, ist beendet."
  },
  used: "Zuletzt angenommen",
  back: "Alle Webhooks",
  secret: "Geheimnis für Signaturen",
  secretHint: "Es wird nur jetzt gezeigt. Der Empfänger prüft damit Signaturen.",
  rotate: "Neues Geheimnis",
  rotated: (until) => `Zustellungen werden bis ${until} auch mit dem vorigen Geheimnis signiert.`,
  pause: "Pausieren",
  resume: "Fortsetzen",
  test: "Test senden",
  removeTitle: "Webhook löschen",
  removeConfirm: "An diese Adresse werden keine Ereignisse mehr gesendet. Auch ihre Zustellungen werden gelöscht.",
  settings: "Adresse und Ereignisse"
}

export const deliveries: Translation["settings"]["deliveries"] = {
  title: "Zustellungen",
  lead: "Jeder Versuch, ein Ereignis zu senden, die neuesten zuerst. Sie bleiben 30 Tage.",
  shown: { all: "Alle", failed: "Fehlgeschlagene", succeeded: "Erfolgreiche", pending: "Ausstehende" },
  none: "Es gibt keine Zustellungen.",
  event: "Ereignis",
  attempt: "Versuch",
  statuses: { pending: "ausstehend", succeeded: "erfolgreich", failed: "fehlgeschlagen" },
  latency: "Dauer",
  milliseconds: (count) => `${count} ms`,
  aboutOf: (type, attempt) => `Versuch ${attempt} von ${type}`,
  error: "Warum es fehlschlug",
  request: "Anfrage",
  response: "Antwort",
  noRequest: "Noch nicht gesendet.",
  noResponse: "Es gab keine Antwort.",
  headers: "Header",
  body: "Inhalt",
  erased: "Der Inhalt wurde gelöscht.",
  resendOf: (type, attempt) => `Erneut senden: Versuch ${attempt} von ${type}`,
  succeeded: (code) => `Der Empfänger hat es angenommen (${code}).`,
  failed: (reason) => `Es ist fehlgeschlagen: ${reason}`,
  waiting: "Es wird so bald wie möglich gesendet."
}

export const folders: Translation["folders"] = {
  connect: "Ordner verbinden",
  lead: "Der Befehl sheaf sync hält einen Ordner mit Markdown-Dateien gleich mit Ihren Notizen.",
  nameHint: "Sein Pfad auf dem Gerät"
}
