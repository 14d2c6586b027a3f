// SPDX-License-Identifier: Apache-2.0
#include "manual.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <vector>

#include "fivebar_control/support/package_version.hpp"
#include "help_text.hpp"

namespace fivebar_control::cli
{
namespace
{

/// Text for groff: nothing in it is a request, and hyphens and quotes can be copied and pasted.
std::string escaped(const std::string & text)
{
  std::string result;
  bool line_begins = true;
  for (const char letter : text)
  {
    if (line_begins && (letter == '.' || letter == '\''))
    {
      result += "\\&";
    }
    line_begins = letter == '\n';
    switch (letter)
    {
      case '\\':
        result += "\\e";
        break;
      case '-':
        result += "\\-";
        break;
      case '\'':
        result += "\\(aq";
        break;
      case '^':
        result += "\\(ha";
        break;
      case '~':
        result += "\\(ti";
        break;
      default:
        result += letter;
    }
  }
  return result;
}

std::string with_small_initial(std::string text)
{
  if (text.size() > 1 && std::islower(static_cast<unsigned char>(text[1])) != 0)
  {
    text[0] = static_cast<char>(std::tolower(static_cast<unsigned char>(text[0])));
  }
  return text;
}

std::string title(const std::string & name, const std::string & summary)
{
  std::string capitals = name;
  std::transform(capitals.begin(), capitals.end(), capitals.begin(), [](unsigned char letter) {
    return static_cast<char>(std::toupper(letter));
  });
  return fmt::format(
    ".TH {} 1 \"\" \"fivebar {}\" \"User Commands\"\n.SH NAME\n{} \\- {}\n", escaped(capitals),
    package_version(), escaped(name), escaped(with_small_initial(summary)));
}

/// "\fB\-\-out\fR \fIFILE\fR"
std::string label(const OptionText & option)
{
  std::string text;
  for (const std::string & name : option.names)
  {
    text += fmt::format("{}\\fB{}\\fR", text.empty() ? "" : ", ", escaped(name));
  }
  if (!option.value.empty())
  {
    const std::string value = fmt::format("\\fI{}\\fR", escaped(option.value));
    text += option.names.empty() ? "" : " ";
    text += option.value_optional ? fmt::format("[{}]", value) : value;
    text += option.repeats ? "..." : "";
  }
  return text;
}

std::string entries(const std::vector<OptionText> & options, bool by_place)
{
  std::string text;
  for (const OptionText & option : options)
  {
    if (option.names.empty() == by_place)
    {
      text += fmt::format(".TP\n{}\n{}.\n", label(option), escaped(explanation(option)));
    }
  }
  return text;
}

std::string literal_block(const std::string & text)
{
  return fmt::format(".nf\n.RS\n{}\n.RE\n.fi\n", escaped(text));
}

/// Paragraphs of the footer: examples and exit codes have sections of their own.
struct Footer
{
  std::string description, examples, exit_codes;
};

Footer sections_of(const std::string & footer)
{
  Footer result;
  for (std::size_t begin = 0; begin < footer.size();)
  {
    const std::size_t end = std::min(footer.find("\n\n", begin), footer.size());
    const std::string paragraph = footer.substr(begin, end - begin);
    begin = end + 2;
    if (paragraph.starts_with("Example"))
    {
      std::string lines = paragraph.substr(paragraph.find('\n') + 1);
      for (std::size_t at = 0; (at = lines.find("\n  ", at)) != std::string::npos; ++at)
      {
        lines.erase(at + 1, 2);
      }
      result.examples = lines.substr(2);
    }
    else if (paragraph.starts_with("Exit codes: "))
    {
      result.exit_codes = paragraph.substr(12);
    }
    else
    {
      result.description += fmt::format(".PP\n{}\n", escaped(paragraph));
    }
  }
  return result;
}

std::string command_list(const ProgramText & program)
{
  return list_by_group(
    program, [](const std::string & group) { return fmt::format(".SS {}\n", escaped(group)); },
    [](const CommandText & command) {
      return fmt::format(
        ".TP\n\\fBfivebar {}\\fR\n{}.\nSee \\fBfivebar\\-{}\\fR(1).\n", escaped(command.name),
        escaped(command.summary), escaped(command.name));
    });
}

constexpr const char * exit_status =
  ".SH EXIT STATUS\n"
  ".TP\n0\nDone.\n"
  ".TP\n1\nA defect of the program, or a number of \\fBfivebar verify\\fR that differs.\n"
  ".TP\n2\nBad usage, a bad file, or a motion that runs through a singularity.\n"
  ".TP\n3\nThe solver did not converge.\n"
  ".TP\n4\nHardware fault.\n"
  ".TP\n5\nStopped by the guard.\n"
  ".PP\nAn error is one line on standard error, with file, line, column and key where there is a\n"
  "file. Output files appear whole or not at all.\n";

constexpr const char * environment =
  ".SH ENVIRONMENT\n"
  ".TP\n\\fBFIVEBAR_CONFIG_DIR\\fR\n"
  "Where \\fIrobot.yaml\\fR, \\fIcontroller.yaml\\fR and the files of hardware are looked for "
  "first;\n"
  "then come \\fI./config\\fR, the source tree and the installed package.\n"
  ".TP\n\\fBFIVEBAR_WEB_TOKEN\\fR\nToken of the live view, as \\fB\\-\\-web\\-token\\fR.\n"
  ".TP\n\\fBNO_COLOR\\fR\nIf it is not empty, nothing is coloured.\n"
  ".TP\n\\fBCLICOLOR_FORCE\\fR\nIf it is neither empty nor 0, files and pipes are coloured, too.\n";

}  // namespace

std::string manual_page(const ProgramText & program)
{
  std::string text = title("fivebar", "plan and play motor voltages for a five-bar robot");
  text +=
    ".SH SYNOPSIS\n\\fBfivebar\\fR \\fICOMMAND\\fR [\\fIARGUMENTS\\fR]\n.SH DESCRIPTION\n"
    "Plans motor voltages with which a five\\-bar parallel robot draws a curve, and plays them as\n"
    "feedforward under a guarded PD loop. All quantities are in SI units.\n.SH COMMANDS\n";
  text += command_list(program);
  text += fmt::format(".SH OPTIONS\n{}", entries(program.options, false));
  text += exit_status;
  text += environment;
  text += ".SH EXAMPLES\n";
  text += literal_block(
    "fivebar init lab\n"
    "fivebar plan config/curves/b.yaml --out b.plan.csv\n"
    "fivebar compare b.plan.csv --plant config/plants/mismatched.yaml");
  return text;
}

std::string manual_page(const CommandText & command)
{
  const Footer footer = sections_of(command.footer);
  std::string text = title(fmt::format("fivebar-{}", command.name), command.summary);
  text += fmt::format(".SH SYNOPSIS\n\\fBfivebar {}\\fR", escaped(command.name));
  for (const OptionText & option : command.options)
  {
    if (option.names.empty() || option.required)
    {
      text +=
        option.required ? fmt::format(" {}", label(option)) : fmt::format(" [{}]", label(option));
    }
  }
  text += fmt::format(
    " [\\fIOPTIONS\\fR]\n.SH DESCRIPTION\n{}.\n{}", escaped(command.summary), footer.description);
  const std::string arguments = entries(command.options, true);
  text += arguments.empty() ? "" : fmt::format(".SH ARGUMENTS\n{}", arguments);
  text += fmt::format(".SH OPTIONS\n{}", entries(command.options, false));
  if (!footer.exit_codes.empty())
  {
    text += fmt::format(".SH EXIT STATUS\n{}\n", escaped(footer.exit_codes));
  }
  if (!footer.examples.empty())
  {
    text += fmt::format(".SH EXAMPLES\n{}", literal_block(footer.examples));
  }
  return text + ".SH SEE ALSO\n\\fBfivebar\\fR(1)\n";
}

}  // namespace fivebar_control::cli
