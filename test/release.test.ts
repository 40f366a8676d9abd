import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { scratch } from '#test/scratch-directory.ts';

const today = fileURLToPath(new URL('..', import.meta.url));
const intro = '# Changelog\n\nWhat changes.\n\n';
const older = '## [1.2.3] - 2026-01-31\n\n- The release before.\n';

let clone: string;

const git = (...args: string[]) => execFileSync('git', args, { cwd: clone, encoding: 'utf8' }).trim();
const read = (file: string) => readFileSync(join(clone, file), 'utf8');
const versionIn = (file: string) => (JSON.parse(read(file)) as { version: string }).version;

const commit = () => git('commit', '--all', '--message', 'test: a change');
const dayNow = () => new Date().toISOString().slice(0, 10);

/** Runs the script in the clone. */
function release(...args: string[]) {
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    [join(today, 'scripts/release.ts'), ...args],
    {
      cwd: clone,
      encoding: 'utf8',
    },
  );
  return { status, stdout, stderr };
}

/** A clone of this repository in which the release after 1.2.3 has one line. */
beforeEach(() => {
  clone = mkdtempSync(join(scratch, 'muster-release-'));
  git('clone', '--quiet', '--shared', today, '.');
  git('config', 'user.name', 'Ada');
  git('config', 'user.email', 'ada@example.org');
  execFileSync('npm', ['version', '--no-git-tag-version', '1.2.3'], { cwd: clone });
  writeFileSync(
    join(clone, 'CHANGELOG.md'),
    `${intro}## [Unreleased]\n\n### Added\n\n- A thing.\n\n${older}`,
  );
  commit();
});
afterEach(() => rmSync(clone, { recursive: true, force: true }));

describe('npm run release', () => {
  test('sets the version in every file, and leaves the commit to the releaser', () => {
    const head = git('rev-parse', 'HEAD');
    const days = [dayNow()];
    const { status, stdout, stderr } = release('minor');
    days.push(dayNow());
    expect([status, stderr]).toEqual([0, '']);
    expect(versionIn('package.json')).toBe('1.3.0');
    const lock = JSON.parse(read('package-lock.json')) as {
      version: string;
      packages: { '': { version: string } };
    };
    expect([lock.version, lock.packages[''].version]).toEqual(['1.3.0', '1.3.0']);
    const [, day] = /^## \[1\.3\.0\] - (.*)$/m.exec(read('CHANGELOG.md')) ?? [];
    expect(days).toContain(day);
    expect(read('CHANGELOG.md')).toBe(
      `${intro}## [Unreleased]\n\n## [1.3.0] - ${day}\n\n### Added\n\n- A thing.\n\n${older}`,
    );
    expect(JSON.parse(read('test/released.json'))).toEqual({ version: '1.3.0', commit: head });
    expect(git('status', '--porcelain')).toBe(
      ['M CHANGELOG.md', ' M package-lock.json', ' M package.json', ' M test/released.json'].join('\n'),
    );
    expect(git('rev-parse', 'HEAD')).toBe(head);
    expect(stdout.match(/git \w+/g)).toEqual(['git diff', 'git commit', 'git tag', 'git push']);
  });

  test('takes the part of the version to raise, or a version', () => {
    for (const [wanted = '', version] of [
      ['patch', '1.2.4'],
      ['major', '2.0.0'],
      ['1.10.0', '1.10.0'],
    ]) {
      expect(release(wanted).status).toBe(0);
      expect(versionIn('package.json')).toBe(version);
      git('checkout', '--quiet', '.');
    }
  });

  test('prints commands that make a commit and an annotated tag', () => {
    const { stdout } = release('minor');
    const commands = stdout.split('\n').filter((line) => /^ {2}git (commit|tag) /.test(line));
    execFileSync('sh', ['-e', '-c', commands.join('\n')], { cwd: clone });
    expect(git('status', '--porcelain')).toBe('');
    expect(git('describe')).toBe('v1.3.0');
    expect(JSON.parse(git('show', 'HEAD:package.json'))).toMatchObject({ version: '1.3.0' });
  });

  test('refuses a working tree with changes, and lists them', () => {
    writeFileSync(join(clone, 'notes.txt'), 'not committed');
    expect(release('minor')).toEqual({
      status: 1,
      stdout: '',
      stderr: 'Commit or remove these changes first:\n?? notes.txt\n',
    });
    expect(versionIn('package.json')).toBe('1.2.3');
  });

  test.for([
    ['no lines', `${intro}## [Unreleased]\n\n### Added\n\n${older}`],
    ['no unreleased section', `${intro}${older}`],
  ] as const)('refuses a changelog with %s', ([, changelog]) => {
    writeFileSync(join(clone, 'CHANGELOG.md'), changelog);
    commit();
    expect(release('minor')).toEqual({
      status: 1,
      stdout: '',
      stderr: 'The unreleased section of CHANGELOG.md has no lines.\n',
    });
    expect(git('status', '--porcelain')).toBe('');
  });

  test('refuses a missing or unknown name and a version that is not newer', () => {
    for (const args of [[], ['huge'], ['1.3'], ['--help']])
      expect(release(...args)).toMatchObject({
        status: 1,
        stderr: expect.stringMatching(/^Name the release: /),
      });
    for (const version of ['1.2.3', '1.2.2', '0.10.0'])
      expect(release(version).stderr).toBe(`Version ${version} is not newer than 1.2.3.\n`);
    expect(git('status', '--porcelain')).toBe('');
  });
});
