import { phrasesIn } from "../../../../../services/languages/Phrases.ts"
import type { Translation } from "../Translation.ts"

const { counted } = phrasesIn("de")

export const factors: Translation["factors"] = {
  step: {
    lead: "Ihr Konto hat einen zweiten Faktor.",
    back: "Zurück"
  },
  passkey: {
    refused: "Es wurde kein Passkey verwendet.",
    known: "Dieses Gerät hat schon einen Passkey eines Kontos auf diesem Server.",
    elsewhere: (host) => `Passkeys dieses Servers gelten nur unter ${host}.`,
    noneHere: "Für Passkeys braucht die Adresse dieses Servers (PUBLIC_URL) einen Hostnamen und HTTPS.",
    noneInBrowser: "Passkeys brauchen einen Browser, der sie kennt, und eine Seite über HTTPS."
  },

  lead: "Damit verlangt eine Anmeldung mit Passwort auch einen Code oder Passkey. Ein Passkey meldet Sie auch allein an.",
  none: "Es gibt keine zweiten Faktoren.",
  kind: "Art",
  kinds: { totp: "Authenticator-App", passkey: "Passkey" },
  passkeyOf: (host) => `Passkey für ${host}`,
  added: "Hinzugefügt",
  addApp: "Authenticator-App hinzufügen",
  addPasskey: "Passkey hinzufügen",
  rename: "Umbenennen…",
  renameOf: (name) => `${name} umbenennen`,
  remove: "Entfernen…",
  removeOf: (name) => `${name} entfernen`,
  removeConfirm:
    "Der Faktor meldet Sie nicht mehr an, Ihre Sitzungen bleiben. Die Wiederherstellungscodes enden mit dem letzten Faktor.",
  removeProblems: {
    invalid_state:
      "So melden Sie sich als Einziges noch an. Fügen Sie einen anderen Faktor hinzu, oder setzen Sie ein Passwort mit „Passwort vergessen?“."
  },

  app: {
    scan: "Scannen Sie diesen Code mit der Authenticator-App, oder geben Sie das Geheimnis in sie ein.",
    picture: "QR-Code mit dem Geheimnis",
    open: "App auf diesem Gerät öffnen",
    secret: "Geheimnis",
    code: "Code, den die App zeigt",
    add: "App hinzufügen",
    problems: { invalid_state: "Der Code kam zu spät. Schließen Sie diesen Dialog, und beginnen Sie noch einmal." }
  },

  codes: {
    left: (count) => `Noch ${counted(count, "Wiederherstellungscode", "Wiederherstellungscodes")}.`,
    make: "Neue Wiederherstellungscodes erstellen…",
    makeTitle: "Neue Wiederherstellungscodes erstellen",
    makeConfirm: "Die bisherigen Codes enden.",
    title: "Ihre Wiederherstellungscodes",
    lead: "Jeder gilt einmal, anstelle eines verlorenen Faktors, und wird nur jetzt gezeigt. Bewahren Sie sie nicht auf diesem Gerät auf.",
    of: (email, host) => `Wiederherstellungscodes von ${email} für ${host}`,
    print: "Drucken",
    unkept:
      "Sie haben die Codes nicht kopiert, heruntergeladen oder gedruckt. Sie werden nicht noch einmal gezeigt. Schließen?"
  },

  needed: {
    title: "Zwei Faktoren sind nötig",
    leads: {
      workspace: "Dieser Arbeitsbereich verlangt eine Anmeldung mit zwei Faktoren.",
      server: "Die Seiten des Servers verlangen eine Anmeldung mit zwei Faktoren."
    },
    confirm: "Bestätigen Sie mit einem Faktor, den Sie haben.",
    add: "Fügen Sie hier einen zweiten Faktor hinzu. Text, der nicht gespeichert ist, bleibt auf diesem Gerät."
  }
}
