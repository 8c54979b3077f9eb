# formula-try.rb DIST does what Homebrew does with the formula in DIST on this machine, into a directory of its own:
# checks the sum of the archive, unpacks it, installs it and runs the test of the formula.
require "digest"
require "fileutils"
require "pathname"
require "tmpdir"

$dist = Pathname.new(ARGV.fetch(0)).realpath
$root = Pathname.new(Dir.mktmpdir)
at_exit { FileUtils.rm_rf($root) }

# Place is a directory into which a formula installs files.
class Place < Pathname
  def install(what)
    names = what.is_a?(Hash) ? what.to_a : Array(what).map { |name| [name, File.basename(name)] }
    raise "nothing to install in #{self}" if names.empty?
    mkpath
    names.each { |from, to| FileUtils.cp(from, self/to, preserve: true) }
  end
end

class Formula
  class << self
    attr_reader :trial
    def desc(text) = text.size > 80 && raise("the description is too long")
    def homepage(*) = nil
    def license(*) = nil
    def version(text = nil) = text ? @version = text : @version
    def on_macos = RUBY_PLATFORM.include?("darwin") && yield
    def on_linux = RUBY_PLATFORM.include?("linux") && yield
    def on_arm = RUBY_PLATFORM.match?(/aarch64|arm64/) && yield
    def on_intel = RUBY_PLATFORM.include?("x86_64") && yield
    def url(text = nil) = text ? @url = text : @url
    def sha256(text = nil) = text ? @sha256 = text : @sha256
    def test(&block) = @trial = block
  end
  { bin: "bin", man1: "share/man/man1", bash_completion: "etc/bash_completion.d",
    zsh_completion: "share/zsh/site-functions", fish_completion: "share/fish/vendor_completions.d" }.each do |name, dir|
    define_method(name) { Place.new($root/"prefix"/dir) }
  end
  def testpath = $root/"test"
  def shell_output(command) = `#{command}`.tap { raise "#{command}: #{$?}" unless $?.success? }
  def assert_match(want, text) = text.include?(want) || raise("#{want} is not in: #{text}")
end

load $dist/"gcnsim.rb"
archive = $dist/File.basename(Gcnsim.url)
raise "the sum of #{archive} is another" unless Digest::SHA256.file(archive).hexdigest == Gcnsim.sha256
raise "#{Gcnsim.url} is not of #{Gcnsim.version}" unless Gcnsim.url.include?("-#{Gcnsim.version}-") ||
                                                       Gcnsim.url.include?("-v#{Gcnsim.version}-")
formula = Gcnsim.new
(testpath = formula.testpath).mkpath
system("tar", "-xzf", archive.to_s, "-C", $root.to_s, exception: true)
Dir.chdir(Dir[$root/"gcnsim-*"].fetch(0)) { formula.install }
Dir.chdir(testpath) { formula.instance_eval(&Gcnsim.trial) }
puts "the formula installs: #{Dir[$root/"prefix/**/*"].count { |f| File.file?(f) }} files"
