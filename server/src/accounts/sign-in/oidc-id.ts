/** The id of the one provider, in paths and in the database. */
export const OIDC = 'oidc'
