import { phrasesIn } from "../../../../../services/languages/Phrases.ts"
import type { Translation } from "../Translation.ts"
import { audit, transfers, usage } from "./GermanData.ts"
import { apps, deliveries, keys, reach, webhooks } from "./GermanIntegrations.ts"

const { counted, list } = phrasesIn("de")

export const settings: Translation["settings"] = {
  apps,
  keys,
  reach,
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
    apps: "Verbundene Apps",
    workspace: "Arbeitsbereich",
    people: "Personen",
    keys: "API-Schlüssel",
    folder: "Ordner",
    webhooks: "Webhooks",
    transfers: "Importe und Exporte",
    usage: "Nutzung",
    audit: "Protokoll"
  },
  notAllowed: "Ihre Rolle in diesem Arbeitsbereich erlaubt diese Seite nicht.",
  currentPassword: "Aktuelles Passwort",
  unknown: "unbekannt",
  ends: "Endet",
  remove: "Entfernen…",

  account: {
    profile: "Profil",
    language: "Sprache",
    languageHint: "Sprache der Konsole und Ihrer Mails. Die Seite wird neu geladen.",
    timezone: "Zeitzone",
    timezoneHint: "Sie gilt für Zeiten in Ihren Mails und Vorlagen.",
    securityMails: "Mails über Anmeldungen, Passwortänderungen, neue API-Schlüssel und Webhooks senden",
    save: "Profil speichern",
    emailHint: "Ein Link zur Bestätigung geht an die neue Adresse, eine Mitteilung an die alte.",
    newEmail: "Neue Adresse",
    changeEmail: "Adresse ändern",
    emailChanged: "Die Adresse ist geändert. Bestätigen Sie sie mit dem Link in der Mail.",
    passwordHint: "Alle anderen Sitzungen enden.",
    newPassword: "Neues Passwort",
    changePassword: "Passwort ändern",
    passwordChanged: "Das Passwort ist geändert.",
    identities: "Anmeldung über einen Anbieter",
    identitiesLead: "Über einen verbundenen Anbieter melden Sie sich ohne Passwort an.",
    connect: (name) => `${name} verbinden`,
    disconnect: "Trennen…",
    disconnectOf: (name) => `${name} trennen`,
    disconnectConfirm: "Er meldet Sie nicht mehr an. Ihre Sitzungen bleiben.",
    disconnectButton: "Trennen",
    noIdentity: "Kein Anbieter ist verbunden.",
    provider: "Anbieter",
    lastUsed: "Letzte Anmeldung",
    disconnectProblems: {
      invalid_state:
        "So melden Sie sich als Einziges noch an. Setzen Sie zuerst ein Passwort mit „Passwort vergessen?“, oder verbinden Sie einen anderen Anbieter."
    },
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
    lead: "Orte, an denen Sie angemeldet sind.",
    device: "Gerät",
    unnamed: "Gerät ohne Namen",
    current: "dieses",
    since: "Angemeldet",
    by: "Angemeldet mit",
    ways: { password: "Passwort", passkey: "Passkey", provider: "Anbieter" },
    factors: { totp: "Authenticator-App", passkey: "Passkey", recovery_code: "Wiederherstellungscode" },
    none: "Es gibt keine Sitzungen.",
    end: "Beenden…",
    endOf: (name) => `Sitzung auf ${name} beenden`,
    endConfirm: (name) => `${name} wird sofort abgemeldet. Text, der dort noch nicht gespeichert ist, bleibt dort.`,
    endButton: "Sitzung beenden",
    endOthers: "Alle anderen Sitzungen beenden…",
    endOthersTitle: "Alle anderen Sitzungen beenden",
    endOthersConfirm: "Alle Geräte außer diesem werden sofort abgemeldet.",
    devices: "Geräte, die synchronisieren",
    devicesLead: "Ihre Apps, die eine Kopie Ihrer Notizen haben.",
    synced: "Zuletzt synchronisiert",
    noDevices: "Keine App hat eine Kopie Ihrer Notizen.",
    removeOf: (name) => `${name} entfernen`,
    removeConfirm: (name) => `${name} erhält keine Änderungen mehr, und die Sitzung endet.`
  },

  workspace: {
    settings: "Name und Tarif",
    slug: "Kurzname in Adressen",
    slugHint: "Kleinbuchstaben, Ziffern und Bindestriche",
    save: "Arbeitsbereich speichern",
    readOnly: (plan, seats) => `${plan}, ${counted(seats, "Platz", "Plätze")}`,
    problems: {
      already_exists: "Ein anderer Arbeitsbereich hat diesen Kurznamen.",
      insufficient_role: "Ihre Rolle erlaubt das nicht, oder der Betreiber des Servers legt Tarif und Plätze fest."
    },
    factors: {
      title: "Zweite Faktoren der Mitglieder",
      lead: "Ab einem Zeitpunkt brauchen die Notizen dieses Arbeitsbereichs eine Anmeldung mit zwei Faktoren: Passwort und Authenticator-App, Passkey oder Anbieter. API-Schlüssel brauchen keine.",
      isOn: "Mitglieder brauchen einen zweiten Faktor",
      from: "Ab",
      save: "Regel speichern"
    },
    offline: {
      title: "Auf diesem Gerät",
      hint: "Notizen auf diesem Gerät lassen sich ohne Netz lesen und durchsuchen. Ihr Text wird später gesendet. Beim Abmelden werden die Notizen entfernt.",
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
    isOpen: "jetzt offen",
    none: "Sie haben keinen Arbeitsbereich.",
    createTitle: "Neuer Arbeitsbereich",
    create: "Arbeitsbereich erstellen",
    created: (name) => `„${name}“ ist erstellt.`,
    leave: "Arbeitsbereich verlassen",
    leaveHint: "Ihre API-Schlüssel und Links darin enden. Zurück führt nur eine Einladung.",
    leaveAction: "Verlassen…",
    leaveConfirm: (name) => `Sie verlieren sofort den Zugriff auf „${name}“.`,
    deleteHint: "Alle Mitglieder verlieren sofort den Zugriff. Der Betreiber kann ihn 30 Tage lang wiederherstellen.",
    deleteConfirm: (slug) =>
      `Alle Notizen, Mitglieder, API-Schlüssel und Webhooks werden gelöscht. Zur Bestätigung ${slug} eingeben.`,
    deleteField: "Kurzname des Arbeitsbereichs",
    deleteMismatch: "Das ist nicht der Kurzname.",
    personal: "Dies ist Ihr persönlicher Arbeitsbereich. Er endet mit Ihrem Konto."
  },

  people: {
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
    send: "Einladung senden",
    sent: (email) => `Die Einladung an ${email} ist gesendet.`,
    linkHint: "Dieser Server sendet keine Mails. Geben Sie den Link selbst weiter: Er wird nur jetzt gezeigt.",
    inviteProblems: { already_exists: "Diese Person ist schon Mitglied oder eingeladen." },
    invitations: "Einladungen",
    statuses: { pending: "offen", accepted: "angenommen", expired: "abgelaufen" },
    by: "Eingeladen von",
    noInvitations: "Es gibt keine Einladungen.",
    revoke: "Zurückziehen…",
    revokeOf: (email) => `Einladung an ${email} zurückziehen`,
    revokeConfirm: "Der Link gilt dann nicht mehr.",
    revokeButton: "Zurückziehen"
  }
}
