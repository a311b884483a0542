/** Security headers of every answer. Pages have their own content security policy. */
export function securityHeaders(app_url: string): Readonly<Record<string, string>> {
  return {
    'X-Content-Type-Options': 'nosniff',
    'Referrer-Policy': 'no-referrer',
    'Content-Security-Policy': "default-src 'none'; frame-ancestors 'none'",
    // Browsers ignore it over plain http.
    ...(app_url.startsWith('https:') ? { 'Strict-Transport-Security': 'max-age=31536000' } : {}),
  }
}
