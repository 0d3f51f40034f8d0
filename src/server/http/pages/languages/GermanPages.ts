import { fields, problems } from "../../../../../services/languages/GermanProblems.ts"
import type { PageTexts } from "./EnglishPages.ts"
import { sentencesOf } from "./ProblemSentences.ts"

const sentences = sentencesOf(
  "de",
  { fields, problems },
  (problem, time) => `${problem} Noch einmal versuchen in ${time}.`
)

const may = {
  viewer: "liest Notizen",
  editor: "liest und schreibt Notizen",
  admin: "liest und schreibt Notizen und verwaltet Mitglieder",
  owner: "darf dort alles"
}
const roles = { viewer: "Leser", editor: "Bearbeiter", admin: "Verwalter", owner: "Eigentümer" }

export const german: PageTexts = {
  lang: "de",
  ...sentences,
  busy: "Der Server ist ausgelastet. Bitte in einigen Sekunden noch einmal versuchen.",
  wrongTitle: (title) => `Fehler: ${title}`,
  copy: "Kopieren",
  copied: "Kopiert",
  needsScript: "Sheaf braucht JavaScript.",

  labels: {
    email: "E-Mail-Adresse",
    name: "Ihr Name",
    password: "Passwort",
    code: "Code oder Wiederherstellungscode",
    new_password: "Neues Passwort"
  },
  nameHint: "Wie andere ihn sehen. Er kann leer bleiben.",
  passwordHint: "Mindestens 10 Zeichen.",
  openSheaf: "Sheaf öffnen",
  signedIn: "Sie sind angemeldet.",
  signedInAs: (email) => `Sie sind angemeldet als ${email}.`,

  unavailable: ["Der Server ist ausgelastet", "Bitte in einigen Sekunden noch einmal versuchen."],
  throttled: ["Zu viele Versuche", "Bitte einige Minuten warten und dann noch einmal versuchen."],

  invitation: {
    title: (workspace) => `${workspace} beitreten`,
    lead: (inviter, email, workspace, role) =>
      `${inviter} lädt ${email} in den Arbeitsbereich ${workspace} ein, mit der Rolle ${roles[role]} (${may[role]}).`,
    may,
    until: (time) => `Die Einladung ist offen bis ${time}.`,
    isNew: "Ich bin neu hier",
    newLead: "Ein Konto erstellen und beitreten.",
    create: "Konto erstellen und beitreten",
    hasAccount: "Ich habe ein Konto",
    accountLead: "Das Passwort eingeben und beitreten.",
    forgot: "Passwort vergessen?",
    join: "Beitreten",
    footer: (request) =>
      `Falls Sie in einer App angemeldet sind, kann diese die Einladung mit ${request} und dem Token dieses Links annehmen.`,
    wrongPassword: "Das Passwort ist falsch, oder es gibt noch kein Konto mit dieser Adresse.",
    isKnown: "Es gibt schon ein Konto mit dieser Adresse: Geben Sie sein Passwort unter „Ich habe ein Konto“ ein.",
    joined: (workspace) => `Sie sind ${workspace} beigetreten`,
    member: (email, workspace) => `${email} ist jetzt Mitglied des Arbeitsbereichs ${workspace}.`,
    signInToOpen: "Melden Sie sich mit dieser Adresse an, um den Arbeitsbereich zu öffnen.",
    ready: "Ihr Konto ist bereit",
    failed: (email, workspace, isSignedIn, problem) =>
      `Sie ${isSignedIn ? "sind angemeldet als" : "können sich anmelden mit"} ${email}. Aber die Einladung zu ${workspace} konnte nicht angenommen werden: ${problem}`,
    askAgain: "Bitten Sie um eine neue Einladung.",
    unknown: [
      "Diese Einladung gilt nicht mehr",
      "Prüfen Sie, ob der Link vollständig ist. Wurde die Einladung erneut gesendet, gilt nur der Link in der neuesten Mail."
    ],
    expired: ["Die Einladung ist abgelaufen", "Bitten Sie die Person, die Sie eingeladen hat, sie erneut zu senden."]
  },

  signIn: {
    by: (provider) => `Weiter mit ${provider}`,
    done: "Sie sind angemeldet",
    confirmed: "Ihre Anwesenheit ist bestätigt",
    close: "Schließen Sie diese Seite und machen Sie in Sheaf weiter.",
    failed: "Die Anmeldung ist nicht gelungen",
    refused: (provider) => ({
      closed: [
        "Dieser Server hat kein Konto für Sie",
        `Konten gibt es nur mit Einladung. Öffnen Sie den Link Ihrer Einladung und wählen Sie dort ${provider}.`
      ],
      declined: [
        `${provider} hat Sie nicht angemeldet`,
        "Die Anmeldung wurde dort abgebrochen oder abgelehnt. Beginnen Sie noch einmal."
      ],
      ended: [
        "Diese Anmeldung ist beendet",
        "Sie gilt einmal, in dem Browser, in dem sie begonnen wurde, und zehn Minuten lang. Beginnen Sie noch einmal."
      ],
      invalid: [
        "Die Anmeldung ist nicht gültig",
        `Die Antwort von ${provider} hat die Prüfung nicht bestanden. Beginnen Sie noch einmal. Geschieht es wieder, fragen Sie den Betreiber dieses Servers.`
      ],
      knownAddress: [
        "Es gibt schon ein Konto mit Ihrer Adresse",
        `Melden Sie sich wie bisher an. Verbinden Sie dann ${provider} in den Einstellungen des Kontos.`
      ],
      linkedElsewhere: [
        "Diese Anmeldung gehört zu einem anderen Konto",
        `Der Benutzer bei ${provider} ist mit einem anderen Konto dieses Servers verbunden.`
      ],
      noAddress: [
        `${provider} hat keine E-Mail-Adresse genannt`,
        "Ein Konto braucht eine. Fragen Sie den Betreiber dieses Servers."
      ],
      notLinked: [
        `${provider} ist nicht mit Ihrem Konto verbunden`,
        "Der Link wurde schon benutzt, ist abgelaufen oder gehört zu einer anderen Anmeldung."
      ],
      otherAddress: [
        "Die Einladung gilt für eine andere Adresse",
        `${provider} hat eine andere Adresse genannt oder Ihre nicht geprüft.`
      ],
      tooMany: ["Das Konto hat zu viele Anmeldungen", "Trennen Sie zuerst eine davon in den Einstellungen des Kontos."],
      unknownProvider: ["Diesen Anbieter gibt es nicht", "Prüfen Sie die Adresse."],
      unreachable: [
        `${provider} ist nicht erreichbar`,
        "Versuchen Sie es in einer Minute noch einmal. Bleibt es so, fragen Sie den Betreiber dieses Servers."
      ]
    })
  },

  mailed: {
    reset: {
      title: "Passwort zurücksetzen",
      intro:
        "Geben Sie die E-Mail-Adresse Ihres Kontos ein. Sie erhalten eine Mail mit einem Link zu einem neuen Passwort.",
      life: "Ein Link gilt einmal, innerhalb einer Stunde.",
      sent: (email) =>
        `Sie haben ${email} eingegeben. Falls es ein Konto mit dieser Adresse gibt, ist eine Mail mit einem Link dorthin unterwegs. Ein Link gilt einmal, innerhalb einer Stunde.`
    },
    confirmation: {
      title: "Adresse bestätigen",
      intro: "Geben Sie die E-Mail-Adresse Ihres Kontos ein. Sie erhalten eine Mail mit einem Link, der sie bestätigt.",
      life: "Ein Link gilt sieben Tage.",
      sent: (email) =>
        `Sie haben ${email} eingegeben. Falls es ein Konto mit dieser Adresse gibt und sie noch nicht bestätigt ist, ist eine Mail mit einem Link dorthin unterwegs. Ein Link gilt sieben Tage.`
    },
    send: "Link senden",
    check: "Sehen Sie in Ihren Mails nach",
    noMail: "Falls keine Mail kommt, prüfen Sie die Schreibweise der Adresse und Ihren Spam-Ordner.",
    expired: "Dieser Link ist abgelaufen",
    broken: "Dieser Link funktioniert nicht",
    why: "Er wurde schon benutzt, ist abgelaufen oder unvollständig."
  },

  password: {
    title: "Neues Passwort wählen",
    lead: "Alle Geräte werden abgemeldet und brauchen das neue Passwort.",
    change: "Passwort ändern",
    changed: "Ihr Passwort ist geändert",
    signedOut: (email) => `Sie sind angemeldet als ${email}. Alle anderen Geräte wurden abgemeldet.`,
    signIn: (email) => `Melden Sie sich mit ${email} und dem neuen Passwort an. Alle Geräte wurden abgemeldet.`
  },

  confirm: {
    title: "Adresse bestätigen",
    question: (url, email) => `Ein Konto bei ${url} verwendet die Adresse ${email}. Gehört das Konto Ihnen?`,
    ifNot: "Falls Sie es nicht kennen, schließen Sie diese Seite: Die Adresse bleibt unbestätigt.",
    button: "Adresse bestätigen",
    confirmed: "Ihre Adresse ist bestätigt",
    done: (email) => `${email} ist bestätigt. Sie können diese Seite schließen.`
  },

  setup: {
    title: "Das erste Konto erstellen",
    lead: "Ihm gehört der erste Arbeitsbereich, und es verwaltet den Server. Danach können Sie Ihre Notizen mitbringen.",
    create: "Konto erstellen",
    ready: "Ihr Konto ist bereit",
    signIn: (email) =>
      `Melden Sie sich mit ${email} und Ihrem Passwort an, um Notizen zu importieren und Apps zu verbinden.`,
    continue: "Weiter",
    showKey: "Schlüssel für Skripte zeigen",
    key: "API-Schlüssel",
    keyHint: (docs) =>
      `Er darf in Ihrem Arbeitsbereich alles und wird nicht noch einmal gezeigt. ${docs}Die Dokumentation</a> (auf Englisch) beschreibt die API.`,
    expired: [
      "Dieser Link ist abgelaufen",
      "Ein Link gilt eine Stunde. Starten Sie Sheaf neu: Es gibt einen neuen aus."
    ],
    broken: [
      "Dieser Link funktioniert nicht",
      "Er wurde schon benutzt, ist unvollständig, oder ein Konto hat schon ein Passwort. Falls Sie ihn benutzt haben, melden Sie sich in Ihrer App an.",
      "Solange kein Konto ein Passwort hat, gibt Sheaf bei jedem Start einen neuen Link aus."
    ]
  },

  share: {
    updated: (date) => `Geändert am ${date}`,
    empty: "Diese Notiz ist leer.",
    footer: "Eine mit Sheaf geteilte Notiz",
    protectedTitle: "Eine geschützte Notiz",
    protected: "Diese Notiz ist geschützt",
    askPassword: "Fragen Sie die Person, die sie mit Ihnen geteilt hat, nach dem Passwort.",
    open: "Öffnen",
    wrongPassword: "Das Passwort ist falsch.",
    notFound: [
      "Nicht gefunden",
      "Prüfen Sie, ob der Link vollständig ist. Vielleicht wird die Notiz nicht mehr geteilt."
    ],
    expired: ["Dieser Link ist abgelaufen", "Bitten Sie die Person, die ihn gesendet hat, um einen neuen."]
  },

  problemPage: {
    notFound: ["Seite nicht gefunden", "Bitte die Adresse prüfen."],
    heading: (_title) => "Das hat nicht funktioniert",
    ofApi:
      "Diese Adresse gehört zur API, die für Programme ist. Jede Anfrage an sie braucht ein Zugriffstoken oder einen API-Schlüssel.",
    ways: (start, docs) => `Weiter zur ${start}Startseite</a> oder zur ${docs}API-Referenz (auf Englisch)</a>.`,
    status: (status) => `Status ${status}`,
    cause: "Ursache (auf Englisch)",
    remedy: "Abhilfe (auf Englisch)",
    all: (docs) => `${docs}Alle Probleme und die Anfragen, auf die sie folgen (auf Englisch)</a>`,
    footer: (code, request) => `Problem ${code}, Anfrage ${request}`
  }
}
