import { randomUUID } from 'node:crypto';
import type { Config } from '#platform/config.ts';
import { first, sql, type Db } from '#platform/db/client.ts';
import { newestMigration } from '#platform/db/migrate.ts';
import { openMailer } from '#platform/mail/mailer.ts';
import { withTimeout } from '#platform/timeout.ts';
import { version } from '#platform/version.ts';
import { storageOf } from '#features/media/gateway.ts';
import { proxyProblem } from '#app/proxy-check.ts';

export interface CheckResult {
  check: string;
  result: 'ok' | 'failed' | 'not checked';
  detail: string;
}

interface Checked {
  config: Config;
  db: Db;
}

/** Each check returns what it found, and throws if something is wrong. */
const checks: Record<string, (checked: Checked) => Promise<string | { notChecked: string }>> = {
  version: async () => `Muster ${version}, Node ${process.versions.node}`,

  async database({ db }) {
    const newest = await newestMigration();
    const found = await first(
      db,
      sql<{ version: string; is_current: boolean }>`
        select current_setting('server_version') as version, exists (
          select from schema_migrations where name = ${newest}) as is_current`,
    );
    if (!found?.is_current) throw new Error(`It has not the newest migration (${newest}): start Muster.`);
    return `PostgreSQL ${found.version}, with the newest migration`;
  },

  async mail({ config }) {
    const mailer = openMailer(config, () => {});
    await withTimeout(mailer.verify(), 15_000, 'It does not answer within 15 seconds.').finally(mailer.close);
    return mailer.destination;
  },

  async storage({ config }) {
    const storage = storageOf(config);
    const file = `check-${randomUUID()}`;
    await storage.save(file, Buffer.from(file));
    const found = await storage.find(file);
    await storage.remove(file);
    if (found?.toString() !== file) throw new Error('A file that was just written is not there.');
    return config.s3 ? `the bucket ${config.s3.bucket}` : config.dataDir;
  },

  async clock({ db }) {
    const before = Date.now();
    const found = await first(db, sql<{ now: string }>`select clock_timestamp() as now`);
    const middle = (before + Date.now()) / 2;
    const seconds = Math.round(Math.abs(Date.parse(found?.now ?? '') - middle) / 1000);
    if (seconds > 5)
      throw new Error(
        `The clocks of the database and of this machine differ by ${seconds} seconds: use NTP.`,
      );
    return 'the database and this machine agree';
  },

  async proxy({ config }) {
    const { host, port, publicUrl } = config;
    const local = `http://${['0.0.0.0', '::'].includes(host) ? 'localhost' : host}:${port}`;
    const isRunning = await fetch(`${local}/healthz`, { signal: AbortSignal.timeout(5000) }).catch(() => {});
    if (!isRunning) return { notChecked: `Muster does not run at ${local}` };
    const problem = await proxyProblem(config);
    if (problem) throw new Error(problem);
    return `requests to ${publicUrl} arrive as they should`;
  },
};

/** Runs all checks, one after the other. */
export async function runChecks(checked: Checked): Promise<CheckResult[]> {
  const results: CheckResult[] = [];
  for (const [check, run] of Object.entries(checks)) {
    const found = await run(checked).catch((error: Error) => error);
    if (found instanceof Error) results.push({ check, result: 'failed', detail: found.message });
    else if (typeof found === 'string') results.push({ check, result: 'ok', detail: found });
    else results.push({ check, result: 'not checked', detail: found.notChecked });
  }
  return results;
}
