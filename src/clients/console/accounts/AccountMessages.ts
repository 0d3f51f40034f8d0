export const accountTexts = {
  signIn: "Sign in",
  by: (provider: string) => `Continue with ${provider}`,
  byPasskey: "Sign in with a passkey",
  signInLead: "Your notes, on your server.",
  signUp: "Create an account",
  signUpLeads: {
    open: "Everyone can create an account on this server.",
    invite: "Use the address to which the invitation was sent."
  },
  forgot: "Forgot the password?",
  forgotLead: "If the address has an account, a mail with a link is sent to it.",
  sendLink: "Send a link",
  linkSent: "Check your mail. The link works for an hour.",
  email: "E-mail address",
  password: "Password",
  passwordHint: "At least 10 characters",
  name: "Name",
  invitation: "Invitation",
  invitationHint: "The part of the invitation link after token=",
  firstStart: "First start? Open the link that the server printed in its terminal.",
  again: "Your session has ended",
  againLead: "Your session has ended. What you type stays in this browser until you sign in again.",
  add: "Add an account",
  signOut: "Sign out",
  signOutConfirm: "Some text is not saved on the server. It stays in this browser until you sign in again. Sign out?",
  sendingConfirm: "A file is still being sent, and will not arrive. Sign out?",
  signedOutHere:
    "You are signed out on this device. The server could not be reached: the session is still in its list.",
  signedOutElsewhere: "You have signed out in another tab.",
  menu: "Account and workspace"
}
