import { Link, type LinkProps } from '@tanstack/react-router'

/** A link on a screen outside of workspaces. */
export function EntranceLink(props: LinkProps) {
  return <Link {...props} className="rounded-sm font-medium text-accent underline-offset-2 hover:underline" />
}
