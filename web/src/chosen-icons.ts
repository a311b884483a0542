import type { LucideIcon } from 'lucide-react'

let chosen: Readonly<Partial<Record<string, LucideIcon>>> = {}

/** Most workspaces choose no icons, so they are fetched with the first schema that names one. */
export async function loadChosenIcons(): Promise<void> {
  chosen = (await import('./resource-icons.ts')).iconViews
}

/** The icon that a name stands for. */
export function iconNamed(name: string | null): LucideIcon | undefined {
  return name !== null && Object.hasOwn(chosen, name) ? chosen[name] : undefined
}
