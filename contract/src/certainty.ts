/** Which duplicates are asked for. */
export const certainties = ['certain', 'likely', 'all'] as const
export type Certainty = (typeof certainties)[number]
