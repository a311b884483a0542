const words: Readonly<Record<string, string>> = {
  access_denied: 'The sign-in at the provider was refused or cancelled. Try again.',
  account_not_linked:
    'There is an account with your address, but the address is not verified here. Sign in with your password, then connect the provider under Settings, Password and sign-in.',
  account_already_linked_to_different_user: 'This login belongs to another account here.',
  "email_doesn't_match": 'Your email address at the provider differs from that of your account here.',
  email_not_verified: 'The provider has not verified your email address. Verify it there, then try again.',
  no_account: 'You have no account here. Ask an owner or admin of a workspace to invite you.',
  provider_failed: 'The provider did not confirm who you are. Try again, or sign in another way.',
  state_mismatch: 'This sign-in started in another browser, or took too long. Try again.',
  too_many_attempts: 'Too many attempts from your address. Try again in a few minutes.',
}

/** Why the sign-in through the provider failed. */
export function providerProblem(problem: string | undefined): string | undefined {
  if (problem === undefined) return undefined
  return words[problem] ?? 'The provider did not confirm who you are. Try again, or sign in another way.'
}
