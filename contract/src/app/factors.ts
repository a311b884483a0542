/** The second factor with which a session began. */
export const secondFactors = ['totp', 'recovery_code', 'trusted_device', 'passkey', 'provider'] as const
export type SecondFactor = (typeof secondFactors)[number]

/** A row of the passkeys of `GET /factors`. */
export type Passkey = { id: string; name: string | null; created_at: string | null; backed_up: boolean }

/** `GET /factors`: how the user can sign in. */
export type FactorsAnswer = {
  has_password: boolean
  /** Whether sign-in asks for a code of an authenticator app. */
  totp: boolean
  passkeys: Passkey[]
  /** The provider of the installation, and whether this account is connected to it. Null where there is none. */
  provider: { name: string; connected: boolean } | null
  /** The second factor with which this session began. */
  session_factor: SecondFactor | null
}

/** `POST /sign-in`: whether a code is needed before the session begins. */
export type SignInAnswer = { needs_code: boolean }

/** `POST /factors/totp`: shown once. */
export type TotpSetUp = { secret: string; uri: string; recovery_codes: string[] }
