#include "redis/error_reply.h"

#include <gtest/gtest.h>

namespace weir::redis {
namespace {

TEST(ErrorReplyTest, EveryKnownErrorHasACauseAndARemedy) {
  struct Case {
    std::string_view text;
    Cause cause;
    Remedy remedy;
    bool may_have_run;
    bool alert;
  };
  for (const Case& c : {
           Case{"NOSCRIPT No matching script. Please use EVAL.", Cause::kScript,
                Remedy::kReloadScript, false, false},
           Case{"TRYAGAIN Multiple keys request during rehashing of slot", Cause::kMoved,
                Remedy::kWaitAndRetry, false, false},
           Case{"CLUSTERDOWN Hash slot not served", Cause::kClusterDown, Remedy::kRediscover, false,
                false},
           Case{"CROSSSLOT Keys in request don't hash to the same slot", Cause::kProtocol,
                Remedy::kUseMode, false, true},
           Case{"LOADING Redis is loading the dataset in memory", Cause::kLoading,
                Remedy::kRediscover, false, false},
           Case{"READONLY You can't write against a read only replica.", Cause::kReadonly,
                Remedy::kRediscover, false, false},
           Case{"MASTERDOWN Link with MASTER is down", Cause::kReadonly, Remedy::kRediscover, false,
                false},
           Case{"OOM command not allowed when used memory > 'maxmemory'.", Cause::kOom,
                Remedy::kUseMode, false, true},
           Case{"BUSY Redis is busy running a script.", Cause::kTimeout, Remedy::kUseMode, false,
                true},
           Case{"MISCONF Errors writing to the AOF file", Cause::kReadonly, Remedy::kUseMode, false,
                true},
           Case{"NOREPLICAS Not enough good replicas to write.", Cause::kReadonly, Remedy::kUseMode,
                false, true},
           Case{"NOAUTH Authentication required.", Cause::kAuth, Remedy::kUseMode, false, true},
           Case{"WRONGPASS invalid username-password pair or user is disabled.", Cause::kAuth,
                Remedy::kUseMode, false, true},
           Case{"NOPERM this user has no permissions", Cause::kAuth, Remedy::kUseMode, false, true},
           Case{"WRONGTYPE Operation against a key", Cause::kScript, Remedy::kUseMode, true, true},
           Case{"EXECABORT Transaction discarded", Cause::kProtocol, Remedy::kUseMode, false, true},
           Case{"ERR max number of clients reached", Cause::kRefused, Remedy::kRediscover, false,
                true},
           Case{"ERR The user executing the script can't run this command or subcommand script: ab",
                Cause::kAuth, Remedy::kUseMode, true, true},
           Case{"ERR user_script:1: attempt to index a nil value script: ab, on @user_script:1.",
                Cause::kScript, Remedy::kUseMode, true, true},
           Case{"ERR Error compiling script (new function): user_script:1: unexpected symbol",
                Cause::kScript, Remedy::kUseMode, false, true},
           Case{"ERR unknown command 'HELLO', with args beginning with: '2'", Cause::kProtocol,
                Remedy::kUseMode, false, true},
           Case{"ERR AUTH <password> called without any password configured", Cause::kAuth,
                Remedy::kUseMode, false, true},
           Case{"WHATEVER happened", Cause::kProtocol, Remedy::kUseMode, true, true},
           Case{"", Cause::kProtocol, Remedy::kUseMode, true, true},
       }) {
    const ErrorReply reply = Understand(c.text);
    EXPECT_EQ(reply.cause, c.cause) << c.text;
    EXPECT_EQ(reply.remedy, c.remedy) << c.text;
    EXPECT_EQ(reply.may_have_run, c.may_have_run) << c.text;
    EXPECT_EQ(reply.alert, c.alert) << c.text;
  }
}

TEST(ErrorReplyTest, ACodeRaisedInsideAScriptMayHaveComeAfterWrites) {
  EXPECT_FALSE(Understand("OOM command not allowed").may_have_run);
  EXPECT_TRUE(Understand("OOM command not allowed script: ab, on @user_script:3.").may_have_run);
}

TEST(ErrorReplyTest, RedirectsNameTheirTargetSplitAtTheLastColon) {
  ErrorReply reply = Understand("MOVED 3999 127.0.0.1:6381");
  EXPECT_EQ(reply.remedy, Remedy::kFollowMoved);
  EXPECT_EQ(reply.slot, 3999);
  EXPECT_EQ(reply.host, "127.0.0.1");
  EXPECT_EQ(reply.port, 6381);
  EXPECT_FALSE(reply.may_have_run);
  reply = Understand("ASK 16383 2001:db8::1:7000");
  EXPECT_EQ(reply.remedy, Remedy::kFollowAsk);
  EXPECT_EQ(reply.host, "2001:db8::1");
  EXPECT_EQ(reply.port, 7000);
  reply = Understand("MOVED 1 :7001");
  EXPECT_EQ(reply.host, "");
  EXPECT_EQ(reply.port, 7001);
  EXPECT_EQ(Understand("REDIRECT 10.0.0.1:7002").port, 7002);
}

TEST(ErrorReplyTest, ARedirectToNowhereIsAProtocolError) {
  for (const std::string_view text :
       {"MOVED", "MOVED 1", "MOVED x 127.0.0.1:1", "MOVED 16384 127.0.0.1:1", "MOVED 1 127.0.0.1",
        "MOVED 1 127.0.0.1:0", "MOVED 1 127.0.0.1:70000", "ASK 1 h:", "REDIRECT x"}) {
    EXPECT_EQ(Understand(text).cause, Cause::kProtocol) << text;
    EXPECT_EQ(Understand(text).remedy, Remedy::kUseMode) << text;
  }
}

TEST(ErrorReplyTest, AnAlertThatPeopleCanActOnNamesTheFix) {
  for (const std::string_view text : {"OOM x", "NOAUTH x", "WRONGPASS x", "NOPERM x", "WRONGTYPE x",
                                      "MISCONF x", "ERR max number of clients reached"}) {
    EXPECT_FALSE(Understand(text).advice.empty()) << text;
  }
}

}  // namespace
}  // namespace weir::redis
