/** The resources of the specification, for tests that compare with its tables. Other tests loop over the registry. */
export const specified = ['companies', 'people', 'opportunities', 'tasks', 'notes'] as const
export type Specified = (typeof specified)[number]
