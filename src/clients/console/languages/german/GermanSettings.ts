import { phrasesIn } from "../../../../../services/languages/Phrases.ts"
import type { Translation } from "../Translation.ts"
import { audit, transfers, usage } from "./GermanData.ts"
import { deliveries, keys, webhooks } from "./GermanIntegrations.ts"

const { counted, list } = phrasesIn("de")

export const settings: Translation["settings"] = {
  keys,
  webhooks,
  deliveries,
  transfers,
  usage,
  audit,
  navigation: "Einstellungen",
  sections: { own: "Sie", workspace: "Arbeitsbereich" },
  pages: {
    account: "Konto",
    sessions: "Sitzungen und Geräte",
    workspace: "Arbeitsbereich",
    people: "Personen",
    keys: "API-Schlüssel",
    webhooks: "Webhooks",
    transfers: "Importe und Exporte",
    usage: "Nutzung",
    audit: "Protokoll"
  },
  notAllowed: "Ihre Rolle in diesem Arbeitsbereich erlaubt diese Seite nicht.",
  saved: "Gespeichert.",
  passwordProblems: { invalid_credentials: "Das Passwort ist falsch." },
  currentPassword: "Aktuelles Passwort",
  actions: "Aktionen",
  never: "nie",
  unknown: "unbekannt",
  created: "Erstellt",
  ends: "Endet",
  remove: "Entfernen…",

  account: {
    profile: "Profil",
    name: "Name",
    language: "Sprache",
    languageHint: "Sprache der Konsole und Ihrer Mails. Die Seite wird neu geladen.",
    timezone: "Zeitzone",
    timezoneHint: "Sie gilt für Zeiten in Ihren Mails und Vorlagen.",
    securityMails: "Mails über Anmeldungen, Passwortänderungen, neue API-Schlüssel und Webhooks senden",
    save: "Profil speichern",
    email: "E-Mail-Adresse",
    emailHint: "Ein Link zur Bestätigung geht an die neue Adresse, eine Mitteilung an die alte.",
    newEmail: "Neue Adresse",
    changeEmail: "Adresse ändern",
    emailChanged: "Die Adresse ist geändert. Bestätigen Sie sie mit dem Link in der Mail.",
    password: "Passwort",
    passwordHint: "Alle anderen Sitzungen enden.",
    newPassword: "Neues Passwort",
    newPasswordHint: "Mindestens 10 Zeichen",
    changePassword: "Passwort ändern",
    passwordChanged: "Das Passwort ist geändert.",
    end: "Konto löschen",
    endHint:
      "Arbeitsbereiche ohne andere Mitglieder werden mit ihren Notizen gelöscht, und Ihre Mitgliedschaften enden. Exportieren Sie vorher, was Sie brauchen.",
    endAction: "Mein Konto löschen…",
    endConfirm:
      "Ihr Konto, Ihre Sitzungen, Ihre API-Schlüssel und die Arbeitsbereiche, die nur Sie nutzen, werden gelöscht.",
    endButton: "Mein Konto löschen",
    lastOwner: (names) =>
      `Sie sind der letzte Eigentümer von ${list(names)}. Machen Sie ein anderes Mitglied zum Eigentümer, oder löschen Sie den Arbeitsbereich.`
  },

  sessions: {
    title: "Sitzungen",
    lead: "Orte, an denen Sie angemeldet sind.",
    device: "Gerät",
    unnamed: "Gerät ohne Namen",
    current: "dieses",
    where: "Adresse",
    active: "Zuletzt genutzt",
    since: "Angemeldet",
    none: "Es gibt keine Sitzungen.",
    end: "Beenden…",
    endOf: (name) => `Sitzung auf ${name} beenden`,
    endConfirm: (name) => `${name} wird sofort abgemeldet. Text, der dort noch nicht gespeichert ist, bleibt dort.`,
    endButton: "Sitzung beenden",
    endOthers: "Alle anderen Sitzungen beenden…",
    endOthersTitle: "Alle anderen Sitzungen beenden",
    endOthersConfirm: "Alle Geräte außer diesem werden sofort abgemeldet.",
    ended: (count) => `${counted(count, "Sitzung", "Sitzungen")} beendet.`,
    devices: "Geräte, die synchronisieren",
    devicesLead: "Ihre Apps, die eine Kopie Ihrer Notizen haben.",
    synced: "Zuletzt synchronisiert",
    noDevices: "Keine App hat eine Kopie Ihrer Notizen.",
    removeOf: (name) => `${name} entfernen`,
    removeConfirm: (name) => `${name} erhält keine Änderungen mehr, und die Sitzung endet.`
  },

  workspace: {
    settings: "Name und Tarif",
    name: "Name",
    slug: "Kurzname in Adressen",
    slugHint: "Kleinbuchstaben, Ziffern und Bindestriche",
    plan: "Tarif",
    plans: { free: "Free", plus: "Plus", team: "Team" },
    seats: "Plätze",
    save: "Arbeitsbereich speichern",
    readOnly: (plan, seats) => `${plan}, ${counted(seats, "Platz", "Plätze")}`,
    problems: {
      already_exists: "Ein anderer Arbeitsbereich hat diesen Kurznamen.",
      insufficient_role: "Ihre Rolle erlaubt das nicht, oder der Betreiber des Servers legt Tarif und Plätze fest."
    },
    offline: {
      title: "Auf diesem Gerät",
      hint: "Notizen auf diesem Gerät lassen sich ohne Netz lesen und durchsuchen. Text, den Sie schreiben, wird in jedem Fall später gesendet. Beim Abmelden werden die Notizen von diesem Gerät entfernt.",
      nothing: "Keine Notizen",
      all: "Notizen aller Notizbücher",
      chosen: "Notizen ausgewählter Notizbücher",
      notebooks: "Notizbücher auf diesem Gerät",
      inner: "Die Notizbücher darin gehören dazu.",
      state: (notes, isWhole) =>
        `${counted(notes, "Notiz ist", "Notizen sind")} auf diesem Gerät${isWhole ? "." : ", weitere kommen."}`,
      unstored: "Dieser Browser hat keinen Platz für die Notizen, oder er erlaubt nicht, sie zu speichern."
    },
    all: "Ihre Arbeitsbereiche",
    open: "Öffnen",
    openOf: (name) => `${name} öffnen`,
    isOpen: "jetzt offen",
    none: "Sie haben keinen Arbeitsbereich.",
    createTitle: "Neuer Arbeitsbereich",
    create: "Arbeitsbereich erstellen",
    created: (name) => `„${name}“ ist erstellt.`,
    leave: "Arbeitsbereich verlassen",
    leaveHint: "Ihre API-Schlüssel und Links darin enden. Zurück führt nur eine Einladung.",
    leaveAction: "Verlassen…",
    leaveConfirm: (name) => `Sie verlieren sofort den Zugriff auf „${name}“.`,
    delete: "Arbeitsbereich löschen",
    deleteHint: "Alle Mitglieder verlieren sofort den Zugriff. Der Betreiber kann ihn 30 Tage lang wiederherstellen.",
    deleteAction: "Löschen…",
    deleteConfirm: (slug) =>
      `Alle Notizen, Mitglieder, API-Schlüssel und Webhooks werden gelöscht. Zur Bestätigung ${slug} eingeben.`,
    deleteField: "Kurzname des Arbeitsbereichs",
    deleteMismatch: "Das ist nicht der Kurzname.",
    personal: "Dies ist Ihr persönlicher Arbeitsbereich. Er endet mit Ihrem Konto."
  },

  people: {
    members: "Mitglieder",
    person: "Person",
    role: "Rolle",
    roleOf: (name) => `Rolle von ${name}`,
    roles: { owner: "Eigentümer", admin: "Verwalter", editor: "Bearbeiter", viewer: "Leser" },
    rolesHint: [
      ["Leser", "liest Notizen"],
      ["Bearbeiter", "schreibt Notizen und erstellt API-Schlüssel"],
      ["Verwalter", "verwaltet auch Personen, Webhooks und das Protokoll"],
      ["Eigentümer", "ändert auch den Tarif und löscht den Arbeitsbereich"]
    ],
    you: "Sie",
    since: "Mitglied seit",
    noMembers: "Es gibt keine Mitglieder.",
    roleChanged: (name, role) => `${name} hat jetzt die Rolle ${role}.`,
    removeOf: (name) => `${name} entfernen`,
    removeConfirm: (name) =>
      `${name} verliert sofort den Zugriff. API-Schlüssel und Links der Person in diesem Arbeitsbereich enden, ihre Webhooks pausieren. Ihre Notizen bleiben.`,
    removeButton: "Entfernen",
    problems: { last_owner: "Ein Arbeitsbereich braucht einen Eigentümer." },
    invite: "Person einladen",
    email: "E-Mail-Adresse",
    send: "Einladung senden",
    sent: (email) => `Die Einladung an ${email} ist gesendet.`,
    link: (email) => `Link für ${email}`,
    linkHint: "Dieser Server sendet keine Mails. Geben Sie den Link selbst weiter: Er wird nur jetzt gezeigt.",
    inviteProblems: { already_exists: "Diese Person ist schon Mitglied oder eingeladen." },
    invitations: "Einladungen",
    status: "Zustand",
    statuses: { pending: "offen", accepted: "angenommen", expired: "abgelaufen" },
    by: "Eingeladen von",
    noInvitations: "Es gibt keine Einladungen.",
    resend: "Erneut senden",
    resendOf: (email) => `Erneut an ${email} senden`,
    revoke: "Zurückziehen…",
    revokeOf: (email) => `Einladung an ${email} zurückziehen`,
    revokeConfirm: "Der Link gilt dann nicht mehr.",
    revokeButton: "Zurückziehen"
  }
}
