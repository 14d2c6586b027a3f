// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <sys/stat.h>

#include <cstdio>
#include <filesystem>

#include "fivebar_control/support/atomic_file.hpp"
#include "fivebar_control/support/checksum.hpp"
#include "fivebar_control/support/errors.hpp"
#include "fivebar_control/support/text_file.hpp"

using namespace fivebar_control;

namespace
{

class InFolder : public testing::Test
{
protected:
  void SetUp() override { std::filesystem::create_directories(folder_); }
  void TearDown() override { std::filesystem::remove_all(folder_); }
  std::string path(const std::string & name) const { return folder_ + "/" + name; }
  std::size_t files() const
  {
    return static_cast<std::size_t>(
      std::distance(std::filesystem::directory_iterator(folder_), {}));
  }

private:
  std::string folder_ =
    testing::TempDir() + "fivebar_" + testing::UnitTest::GetInstance()->current_test_info()->name();
};

using AtomicFileTest = InFolder;
using TextFileTest = InFolder;

}  // namespace

TEST_F(AtomicFileTest, ReplacesTheTargetOnlyOnCommit)
{
  write_file_atomically(path("a"), "old");
  {
    AtomicFile file(path("a"));
    file.write("half of the new");
  }
  EXPECT_EQ(read_text_file(path("a"), 100), "old");
  EXPECT_EQ(files(), 1u);
  write_file_atomically(path("a"), "new");
  EXPECT_EQ(read_text_file(path("a"), 100), "new");
  EXPECT_EQ(files(), 1u);
}

TEST_F(AtomicFileTest, SaysWhyItCannotWrite)
{
  EXPECT_THROW(write_file_atomically(path("missing/a"), "text"), InputError);
  EXPECT_EQ(files(), 0u);
}

TEST_F(AtomicFileTest, LeavesNothingBehindWhenTheTargetIsAFolder)
{
  std::filesystem::create_directory(path("folder"));
  EXPECT_THROW(write_file_atomically(path("folder"), "text"), InputError);
  EXPECT_EQ(files(), 1u);
}

TEST_F(AtomicFileTest, WritesIntoADeviceInsteadOfReplacingIt)
{
  write_file_atomically("/dev/null", "text");
  EXPECT_TRUE(std::filesystem::is_character_file("/dev/null"));
}

TEST_F(AtomicFileTest, WritesThroughOneOfOurOwnDescriptors)
{
  write_file_atomically(path("log"), "before, ");
  std::FILE * open_file = std::fopen(path("log").c_str(), "a");
  ASSERT_NE(open_file, nullptr);
  // A name beside it, to be renamed, would be one in /dev/fd.
  write_file_atomically("/dev/fd/" + std::to_string(fileno(open_file)), "after");
  std::fclose(open_file);
  EXPECT_EQ(read_text_file(path("log"), 100), "before, after");
  EXPECT_EQ(files(), 1u);
  EXPECT_THROW(write_file_atomically("/dev/fd/999", "text"), InputError);
}

TEST_F(TextFileTest, RefusesMissingEmptyHugeBinaryAndFolders)
{
  EXPECT_THROW(read_text_file(path("missing"), 10), InputError);
  write_file_atomically(path("empty"), " \n");
  EXPECT_THROW(read_text_file(path("empty"), 10), InputError);
  write_file_atomically(path("huge"), std::string(11, 'x'));
  EXPECT_THROW(read_text_file(path("huge"), 10), InputError);
  write_file_atomically(path("binary"), std::string("a\0b", 3));
  EXPECT_THROW(read_text_file(path("binary"), 10), InputError);
  EXPECT_THROW(read_text_file(path("."), 10), InputError);
}

TEST_F(TextFileTest, RefusesAPipeWithoutWaitingForIt)
{
  const std::string pipe = path("pipe");
  ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
  try
  {
    read_regular_text_file(pipe, 1000);
    FAIL() << "no refusal";
  }
  catch (const InputError & error)
  {
    EXPECT_EQ(error.what(), pipe + ": is a pipe or a device, expected a file");
  }
  EXPECT_THROW(read_regular_text_file("/dev/zero", 1000), InputError);
  EXPECT_THROW(read_regular_text_file(path("none"), 1000), InputError);
  write_file_atomically(path("text"), "some text");
  EXPECT_EQ(read_regular_text_file(path("text"), 1000), "some text");
}

TEST(Checksum, MatchesTheReferenceVectorsOfFnv1a)
{
  // Reference: draft-eastlake-fnv, FNV-1a 64 of "" and "foobar".
  EXPECT_EQ(Checksum().hex(), "cbf29ce484222325");
  Checksum checksum;
  checksum.add("foo");
  checksum.add("bar");
  EXPECT_EQ(checksum.hex(), "85944171f73967e8");
}
